//! What is compared: functions with variants, and methods.

use crate::problems::Control;
use crate::runner::NoiseLevel;

/// The functions of Figure 1.
const FUNCTIONS: [&str; 3] = ["ackley", "levy", "michalewicz"];
/// Those whose rewards are negative and whose optimum is in or near the centre.
const CENTRAL: [&str; 2] = ["ackley", "levy"];

/// Methods on functions with variants: what one choice of the paper's method owes to the centre of the box.
pub(super) struct ControlSet {
    pub name: &'static str,
    pub title: &'static str,
    /// What is compared and why.
    pub about: &'static str,
    pub functions: &'static [&'static str],
    pub dims: &'static [usize],
    pub variants: &'static [Control],
    /// Runs of the paper profile.
    pub runs: u32,
    /// The noise where the command line names none.
    pub noise: NoiseLevel,
    pub methods: &'static [&'static str],
}

/// The text's method with the ν of all controls.
const LETTER: &str = "neuralbo-paper:nu=0.1";

/// All controls; the first one is the experiment of the page.
pub(super) const SETS: [ControlSet; 11] = [
    ControlSet {
        name: "controls",
        title: "Controls: optima away from the centre, rewards of the other sign",
        about: "A network without biases that is fitted to raw rewards is positively homogeneous: it is 0 in the centre of the box. Where \
                all rewards are negative that is its maximum, and the search goes to the centre, whatever the data say. Ackley's optimum \
                is in the centre, Levy's near it.",
        functions: &FUNCTIONS,
        dims: &[20, 50, 100],
        variants: &[Control::MOVED, Control::OFFSET],
        runs: 10,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=standard,constant=yes",
            "neuralbo-faithful",
            "neuralbo",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-shuffled",
        title: "Control: shuffled rewards",
        about: "Before each fit the rewards are permuted, so that the model learns their values but not where they were observed. A method \
                that learns from its observations does not improve any more; one that goes to the centre of the box does not notice.",
        functions: &CENTRAL,
        dims: &[20, 50, 100],
        variants: &[Control::MOVED],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=shuffled",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-nu",
        title: "Control: exploration and dimension",
        about: "The draw is negative in every direction, and the centre its maximum, as long as |ȳ|/(ν‖x‖) exceeds about c√d.",
        functions: &CENTRAL,
        dims: &[10, 20, 50, 100],
        variants: &[],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=1",
            "neuralbo-paper:nu=10",
            "centre",
        ],
    },
    ControlSet {
        name: "controls-corrections",
        title: "Control: units of the rewards and a constant input",
        about: "Both corrections alone and together, and rewards relative to the best one, which are never positive.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[Control::MOVED, Control::OFFSET],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=standard",
            "neuralbo-paper:nu=0.1,rewards=relative",
            "neuralbo-paper:nu=0.1,constant=yes",
            "neuralbo-paper:nu=0.1,rewards=standard,constant=yes",
            "neuralbo-paper:nu=0.1,rewards=relative,constant=yes",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-maximizer",
        title: "Control: how the draw is maximized",
        about: "The best of a list of points is not the maximum of the draw. Line 4 of Algorithm 1 draws each point's value by itself.",
        functions: &CENTRAL,
        dims: &[20, 50],
        variants: &[Control::MOVED],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,refined=no",
            "neuralbo-paper:nu=0.1,sampling=independent",
            "neuralbo-paper:nu=0.1,sampling=independent,refined=no",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-inputs",
        title: "Control: scaling of the inputs",
        about: "In [0, 1]^d the point where the network is 0 is a corner of the box, not its centre.",
        functions: &CENTRAL,
        dims: &[20, 50],
        variants: &[Control::MOVED],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,inputs=ball",
            "neuralbo-paper:nu=0.1,inputs=unit",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-moved",
        title: "Control: how far the optimum is moved",
        about: "The optimum of `@moved` at smaller distances. A method that goes to the centre has the centre's value at each.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[
            Control::Moved(5),
            Control::Moved(10),
            Control::Moved(20),
            Control::MOVED,
        ],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[LETTER, "centre", "random"],
    },
    ControlSet {
        name: "controls-offset",
        title: "Control: how large the offset is",
        about: "`@offset-0.5` subtracts half of the function's mean, `@offset-1` the mean: the mean reward changes its sign there. Methods \
                that standardize the rewards do not notice.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[
            Control::Offset(50),
            Control::Offset(90),
            Control::Offset(100),
            Control::Offset(110),
            Control::Offset(150),
            Control::OFFSET,
        ],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[LETTER, "centre", "random"],
    },
    ControlSet {
        name: "controls-translated",
        title: "Control: moving without mirroring, and how hard the moved functions are",
        about: "`@moved` mirrors at the bounds what the translation pushes over them; `@translated` evaluates the formula outside of its box \
                instead. Random search and CMA-ES, which know no centre, tell how much harder a function became.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[Control::MOVED, Control::Translated],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[LETTER, "cma-es", "centre", "random"],
    },
    ControlSet {
        name: "controls-greedy",
        title: "Control: a greedy network without biases",
        about: "With ν = 0 the letter is a greedy method: it goes to the maximum of a network without biases that is fitted to raw rewards. \
                `neural-greedy` has biases and standardized rewards.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[Control::MOVED],
        runs: 5,
        noise: NoiseLevel::Code,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0",
            "neural-greedy",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-noise",
        title: "Control: the text's noise",
        about: "Noise with a variance of 1 % of the function's range, as in the text; the other controls have that of the authors' code.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[Control::MOVED],
        runs: 5,
        noise: NoiseLevel::Text,
        methods: &[LETTER, "centre", "random"],
    },
];
