import { useEffect, useState } from 'react';
import { supportWords } from '../../words/pages/operations.ts';
import { formatDuration } from '../../words/times.ts';

const hour = 3_600_000;

/** The current time for a countdown, updated each second in the last hour, else each half minute. */
export const useNow = (until: string): number => {
  const [now, setNow] = useState(Date.now);
  const isClose = Math.abs(Date.parse(until) - now) < hour;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), isClose ? 1_000 : 30_000);
    return () => clearInterval(timer);
  }, [isClose]);
  return now;
};

/** The time that is left until access ends. */
export const Countdown = ({ until }: { readonly until: string }) => {
  const left = Date.parse(until) - useNow(until);
  return <span role="timer">{left <= 0 ? supportWords.over : supportWords.left(formatDuration(left / 1_000))}</span>;
};
