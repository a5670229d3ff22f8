within Vincolo;
package FMI "FMUs of other tools as components: their inputs, outputs and parameters are those of the component"

  model ModelExchange "An FMU whose states are integrated with those of the model"
    parameter String file "the FMU; a text, known when the model is read";
    annotation(__Vincolo(fmu = "me"));
  end ModelExchange;

  model CoSimulation "An FMU that makes its own steps; its outputs hold from one to the next"
    parameter String file "the FMU; a text, known when the model is read";
    annotation(__Vincolo(fmu = "cs"));
  end CoSimulation;

  class Unit "An instance of an FMU, in a process of its own"
    extends ExternalObject;
    function constructor
      input String file;
      input Integer kind "0: model exchange, 1: co-simulation; 2 more: in the process of the run";
      input String names "of parameters, a line each";
      input Real values[:] "of these";
      output Unit unit;
    external "C" unit = vincolo_fmi_open(file, kind, names, values);
    end constructor;
    function destructor
      input Unit unit;
    external "C" vincolo_fmi_close(unit);
    end destructor;
  end Unit;

  function start "States at the start"
    input Unit unit;
    input Real t, u[:];
    input Integer n "states";
    output Real x[n];
  external "C" vincolo_fmi_start(unit, t, u, x);
  end start;

  function evaluate "Rates, outputs, event indicators, and the time of the next event"
    input Unit unit;
    input Real mode "changes with every event";
    input Real t, v[:] "states, then inputs";
    input Integer nx "states", n "results";
    output Real all[n];
  external "C" vincolo_fmi_evaluate(unit, mode, t, v, nx, all);
  end evaluate;

  impure function event "States after an event, and the new mode; below 0: the FMU wants to end"
    input Unit unit;
    input Real mode, t, v[:] "states, then inputs";
    input Integer n "states + 1";
    output Real after[n];
  external "C" vincolo_fmi_event(unit, mode, t, v, after);
  end event;

  impure function step "Outputs at t, after the step to it with the inputs that it had before"
    input Unit unit;
    input Real t, u[:];
    input Integer n "outputs";
    output Real y[n];
  external "C" vincolo_fmi_step(unit, t, u, y);
  end step;
end FMI;
