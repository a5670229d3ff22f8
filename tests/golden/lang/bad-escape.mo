model M
  parameter String file = "C:\data\new.txt";
end M;
