package Kit
  constant Real pi = 3.14159;
  package Sub
    function twice
      input Real x;
      output Real y = 2*x;
    algorithm
    end twice;
    model Part
      parameter Real k = 1;
      Real y = k*time;
    end Part;
  end Sub;
end Kit;
model User
  import Kit.Sub.*;
  import T = Kit.Sub.twice;
  import Kit.pi;
  Part part(k = pi);
  Real z = T(part.y) + Kit.Sub.twice(1);
end User;
