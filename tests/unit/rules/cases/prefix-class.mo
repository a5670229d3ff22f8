model Legal
  record R
    Real x = 1;
  end R;
  model M
    parameter R p;
    R r;
  end M;
  M m;
end Legal;

model IllegalParameter
  model M
    Real x = 1;
  end M;
  parameter M m;
end IllegalParameter;

model IllegalInput
  block B
    Real x = 1;
  end B;
  model M
    input B b;
  end M;
  M m;
end IllegalInput;
