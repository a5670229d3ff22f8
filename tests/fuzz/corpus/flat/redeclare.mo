package P
  partial model Load
    parameter Real k = 1;
    Real y;
  end Load;
  model Linear
    extends Load;
  equation
    y = k*time;
  end Linear;
  model Square
    extends Load(k = 5);
    parameter Real c = 0;
  equation
    y = k*time^2 + c;
  end Square;
  partial package Medium
    constant Real rho = 1;
    replaceable partial function density
      input Real T;
      output Real d;
    end density;
  end Medium;
  package Water
    extends Medium(rho = 1000);
    redeclare function extends density
    algorithm
      d := rho*(1 - 1e-4*T);
    end density;
  end Water;
  model Tank
    replaceable package M = Water constrainedby Medium;
    Real d = M.density(20);
    Real r = M.rho;
  end Tank;
  package Oil
    extends Medium(rho = 800);
    redeclare function density
      input Real T;
      output Real d;
    algorithm
      d := rho - T;
    end density;
  end Oil;
  model Machine
    replaceable Load load constrainedby Load(k = 2);
    replaceable model Shape = Linear;
    Shape shape(k = 7);
  end Machine;
end P;
model Redeclare
  P.Machine a(redeclare P.Linear load);
  P.Machine b(redeclare P.Square load(c = 3), redeclare model Shape = P.Square(c = 1));
  P.Tank t, u(redeclare package M = P.Oil);
  model Own
    extends P.Machine;
    redeclare P.Square load(k = 9);
  end Own;
  Own own;
end Redeclare;
