model WhileCondition
  Integer n;
algorithm
  while n loop
    n := n + 1;
  end while;
end WhileCondition;
