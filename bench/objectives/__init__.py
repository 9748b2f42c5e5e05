"""The comparison on several objectives: COCO's bi-objective suite, ZDT, DTLZ and two real models. See README.md."""
