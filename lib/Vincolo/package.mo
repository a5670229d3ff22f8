within ;
package Vincolo "Multi-domain components and rigid bodies"
  annotation(version = "1.0", Documentation(info = "
    Plain Modelica, readable by any tool. Signs: a flow variable is positive into its component, and the
    product of potential (or its rate) and flow is the power that enters. Passive components state the
    energy they store in 'energy' and the power that enters through their connectors in 'power'."));
end Vincolo;
