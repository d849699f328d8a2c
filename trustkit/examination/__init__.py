"""What costs trainings, gradients or many predictions to find out about a finished run: one measure, one function."""

from trustkit.examination.examiner import MEASURES, Examination, examine

__all__ = ["MEASURES", "Examination", "examine"]
