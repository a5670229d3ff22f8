model SubscriptNotInteger
  Real v[2] = {time, 1};
  Real k = 1;
  Real y = v[k];
end SubscriptNotInteger;
