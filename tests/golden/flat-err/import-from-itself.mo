model Base
  Real x = time;
end Base;
package P
  extends Base;
  import P.*;
  constant Real c = 1;
end P;
model M "a package that is extended while it imports from itself"
  import P.*;
  Real y = c;
end M;
