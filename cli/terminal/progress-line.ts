import type { MailContext } from './cli-context.ts';

/** Milliseconds between two updates of the line on a terminal. Elsewhere a new line is written, less often. */
const terminalInterval = 200;
const plainInterval = 10_000;

/** Milliseconds over which the rate is averaged. */
const rateWindow = 30_000;

const units = ['octets', 'KB', 'MB', 'GB', 'TB'];

/** A number of octets as text for people: `4.2 MB`. */
export const octetsText = (octets: number): string => {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, octets)) / 3)));
  const value = octets / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
};

/** A whole number as text for people: `10,000`. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

/** A number of seconds as text for people: `1:02:03`, `0:44`. */
export const durationText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, '0')];
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
};

export type ProgressState = {
  readonly messages: number;
  readonly octets: number;
  readonly failed: number;
  /** The part that is done, from 0 to 1. */
  readonly part: number;
};

type Sample = ProgressState & { readonly at: number };

const bar = (part: number, width: number): string => {
  const full = Math.round(part * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
};

/** The progress in words: messages, rate, and the remaining time at the rate of the last half minute. */
const progressText = (state: ProgressState, since: Sample, now: number): string => {
  const seconds = Math.max(0.001, (now - since.at) / 1000);
  const [rate, octetRate, partRate] = [state.messages - since.messages, state.octets - since.octets, state.part - since.part].map((each) => each / seconds);
  return [
    `${Math.floor(state.part * 100)}%`,
    `${numberText(state.messages)} messages`,
    `${rate! < 10 ? rate!.toFixed(1) : Math.round(rate!)}/s`,
    `${octetsText(octetRate!)}/s`,
    partRate! > 0 ? `${durationText((1 - state.part) / partRate!)} left` : '',
    state.failed > 0 ? `${numberText(state.failed)} failed` : '',
  ]
    .filter(Boolean)
    .join(' · ');
};

/**
 * Shows progress as a bar on a terminal, and as plain lines elsewhere. `finish` ends the line. It must be called before
 * other output.
 */
export const progressLine = ({ terminal, now, printMessage }: Pick<MailContext, 'terminal' | 'now' | 'printMessage'>, state: () => ProgressState) => {
  const samples: Sample[] = [{ ...state(), at: now() }];
  let shown = now();
  const show = (): void => {
    const time = now();
    if (time - shown < (terminal.isInteractive ? terminalInterval : plainInterval)) return;
    shown = time;
    const current = state();
    while (samples.length > 1 && samples[1]!.at < time - rateWindow) samples.shift();
    const text = progressText(current, samples[0]!, time);
    samples.push({ ...current, at: time });
    if (!terminal.isInteractive) return printMessage(text);
    const width = Math.min(30, terminal.columns() - text.length - 4);
    return terminal.write(`\r\u001b[K${width > 5 ? `${bar(current.part, width)} ` : ''}${text.slice(0, terminal.columns() - 1)}`);
  };
  return {
    show,
    finish: () => {
      if (terminal.isInteractive) terminal.write('\r\u001b[K');
    },
  };
};
