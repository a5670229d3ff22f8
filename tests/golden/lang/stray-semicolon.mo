model M
  Real x;;
equation
  x = 1;;
end M;
