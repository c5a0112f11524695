import { useState } from 'react';
import { composerWords as words } from '../words/composer-words.ts';
import type { Composition } from './composition.ts';
import { holdFor } from './send-draft.ts';

/** A time as a field of the browser has it: in the person's own time zone, without seconds. */
const localTime = (time: number): string => new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Tomorrow at eight in the morning. */
const tomorrow = (): number => {
  const time = new Date();
  time.setDate(time.getDate() + 1);
  return time.setHours(8, 0, 0, 0);
};

/** Lets a person choose the time at which a message is sent. */
export const SendLater = ({ composition, maxSeconds }: { readonly composition: Composition; readonly maxSeconds: number }) => {
  const [time, setTime] = useState<string | undefined>();
  if (maxSeconds <= holdFor) return null;
  if (time === undefined) {
    return (
      <button type="button" onClick={() => setTime(localTime(tomorrow()))}>
        {words.sendLater}
      </button>
    );
  }
  const at = Date.parse(time);
  const [least, most] = [Date.now(), Date.now() + maxSeconds * 1000];
  return (
    <span className="send-later">
      <input
        type="datetime-local"
        aria-label={words.sendAt}
        min={localTime(least)}
        max={localTime(most)}
        value={time}
        onChange={({ target }) => setTime(target.value)}
      />
      <button type="button" disabled={!(at > least && at < most)} onClick={() => void composition.send(false, at)}>
        {words.sendThen}
      </button>
    </span>
  );
};
