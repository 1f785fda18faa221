"""Numbers from results: groups of runs, their metrics, distributions, links, operations, series and trends.

Nothing in here draws, prints or writes. Figures (`plots`), the report and the command line all take their numbers from
here, so that they say the same, and `comparison.once` sees to it that a number is computed once for all of them.
"""
