# What the tests of commands run for a shorter time than the page says, since it takes seconds under sanitizers; the
# command is the same. WHOLE=1 in the environment runs every line as it stands (make test-full).
# SPDX-License-Identifier: BSD-3-Clause
/compare [^ ]*andrews\/model.mo/s/$/ --stop 0.005/
/compare [^ ]*slider-crank\/model.mo/s/$/ --stop 0.05/
/run [^ ]*heavy-top\/model.mo --tol 1e-9/s/$/ --stop 0.1/
/run [^ ]*systems\/governor\/model.mo/s/$/ --stop 0.2/
/run [^ ]*four-bar\/model.mo -p N=10/s/$/ --stop 0.1/
/run [^ ]*systems\/bricard\/model.mo/s/$/ --stop 0.1/
/run bench\/chain\/chain.mo -p n=100/s/$/ --stop 0.01/
/invariants\/model.mo Invariants.Tumbling .*--stop 1000/s/--stop 1000/--stop 50/
/sweep [^ ]*sweep\/model.mo/s/--samples 256/--samples 32/
/sweep [^ ]*sweep\/model.mo/s/8e3:40e3:1e3/8e3:40e3:8e3/
