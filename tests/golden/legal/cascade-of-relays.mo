// A relay follows the one before it in the next round of one event: the last one after 150 rounds.
model CascadeOfRelays
  parameter Integer n = 150;
  Boolean on[n](each start = false, each fixed = true);
equation
  when time >= 0.5 then
    on[1] = true;
  end when;
  for i in 2:n loop
    when pre(on[i - 1]) then
      on[i] = true;
    end when;
  end for;
  assert(on[n] == (time >= 0.5), "the last relay follows at once");
end CascadeOfRelays;
