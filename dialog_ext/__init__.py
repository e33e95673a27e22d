"""Turn any Jupyter notebook into a conversation with a language model."""

__version__ = "0.1.0"
