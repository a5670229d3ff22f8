model SubscriptOfAnotherType
  type Phase = enumeration(first, second);
  Real x[Phase] = {1, 2}, y[Boolean] = {3, 4};
  Real a = x[1], b = y[1], c = x[Phase.first] + y[true] + x[Phase.second] + sum(x[Phase.first:Phase.second]);
end SubscriptOfAnotherType;
