"""Time, peak memory and growth of the data model. Run: ``python benchmarks/data_model.py``."""

from __future__ import annotations

import sys

from data_model_cases import core, dialog, history, model
from harness import best_ms, machine_ms, peak_mb


def main() -> int:
    """Print the table; exit with 1 if a stated limit is passed."""
    print(f"fixed loop of 1,000,000 additions on this machine: {machine_ms():.1f} ms\n")
    print(f"{'case':<58}{'n':>8}{'ms':>9}{'limit':>8}{'MB':>8}{'limit':>7}{'growth':>8}")
    failed = 0
    for part in (core, dialog, history, model):
        for case in part.CASES:
            ms, mb = best_ms(case, case.n), peak_mb(case)
            growth = ms / max(best_ms(case, max(1, case.n // 10)), 1e-6)
            over = (case.limit_ms is not None and ms > case.limit_ms) or (
                case.limit_mb is not None and mb > case.limit_mb
            )
            failed += over
            print(
                f"{case.name:<58}{case.n:>8}{ms:>9.1f}{case.limit_ms or '-':>8}"
                f"{mb:>8.1f}{case.limit_mb or '-':>7}{growth:>7.1f}x{'  OVER' if over else ''}"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
