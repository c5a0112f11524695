import { printable, printableLines } from '../../contract/values/printable.ts';

/** The progress of a command, for the terminal and for log files. */
export type ReportEvent =
  | { readonly kind: 'begin'; readonly title: string }
  | { readonly kind: 'detail'; readonly text: string }
  | { readonly kind: 'end'; readonly title: string; readonly milliseconds: number; readonly failed: boolean; readonly note?: string }
  | { readonly kind: 'line'; readonly text: string };

export type Report = {
  /** Shows `work` as a step with its duration. @returns the result of `work`. */
  step<T>(title: string, work: (step: Step) => Promise<T>): Promise<T>;
  line(text: string): void;
};
export type Step = {
  /** Shows the current action. */
  readonly detail: (text: string) => void;
  /** Sets the text after the title when the step ends, such as "unchanged". */
  readonly note: (text: string) => void;
};

export const progressReport = (emit: (event: ReportEvent) => void, now: () => number = () => performance.now()): Report => ({
  line: (text) => emit({ kind: 'line', text: printableLines(text) }),
  async step(title, work) {
    const startedAt = now();
    let note: string | undefined;
    emit({ kind: 'begin', title });
    const end = (failed: boolean): void => emit({ kind: 'end', title, milliseconds: now() - startedAt, failed, note });
    try {
      const result = await work({
        detail: (text) => emit({ kind: 'detail', text: printable(text) }),
        note: (text) => {
          note = printable(text);
        },
      });
      end(false);
      return result;
    } catch (error) {
      end(true);
      throw error;
    }
  },
});

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
const titleWidth = 36;

const endLine = (event: ReportEvent & { kind: 'end' }): string => {
  const title = event.note ? `${event.title} (${event.note})` : event.title;
  return `${event.failed ? '✗' : '✓'} ${title.padEnd(titleWidth)} ${seconds(event.milliseconds).padStart(8)}`;
};

/** Milliseconds without a line after which plain lines show the current action of a step. */
const quietTime = 3000;

/**
 * Writes one line when a step begins and one when it ends, for files, pipes and CI. A step that takes longer shows its
 * current action every few seconds.
 */
export const plainLines = (write: (text: string) => void, now: () => number = () => performance.now()) => {
  let lastLine = now();
  const writeLine = (text: string): void => {
    lastLine = now();
    write(`${text}\n`);
  };
  return (event: ReportEvent): void => {
    if (event.kind === 'begin') writeLine(`· ${event.title} …`);
    else if (event.kind === 'end') writeLine(endLine(event));
    else if (event.kind === 'line') writeLine(event.text);
    else if (now() - lastLine >= quietTime) writeLine(`    ${event.text}`);
  };
};

/** Rewrites one line with the seconds and the current action, and replaces it with the result. */
const live = (write: (text: string) => void, columns: () => number) => {
  let current: { title: string; detail: string; startedAt: number; timer: NodeJS.Timeout } | undefined;
  const clear = '\r\u001B[2K';
  const draw = (): void => {
    if (!current) return;
    const text = `· ${current.title.padEnd(titleWidth)} ${seconds(Date.now() - current.startedAt).padStart(8)}  ${current.detail}`;
    write(`${clear}${text.slice(0, Math.max(20, columns() - 1))}`);
  };
  return (event: ReportEvent): void => {
    if (event.kind === 'begin') {
      clearInterval(current?.timer);
      current = { title: event.title, detail: '', startedAt: Date.now(), timer: setInterval(draw, 100).unref() };
    } else if (event.kind === 'detail' && current) {
      current.detail = event.text;
    } else if (event.kind === 'end') {
      clearInterval(current?.timer);
      current = undefined;
      write(`${clear}${endLine(event)}\n`);
    } else if (event.kind === 'line') {
      write(`${current ? clear : ''}${event.text}\n`);
    }
    draw();
  };
};

/** Shows report events on a stream: a live line on a terminal, plain lines elsewhere. */
export const showOn = (stream: NodeJS.WriteStream): ((event: ReportEvent) => void) => {
  const write = (text: string): void => {
    stream.write(text);
  };
  return stream.isTTY ? live(write, () => stream.columns || 80) : plainLines(write);
};

const time = (at: Date): string => at.toTimeString().slice(0, 8);

/**
 * A line of the running sandbox's log: time, kind of event, description. Control characters are escaped, so that a
 * message's subject or address cannot control the terminal.
 */
export const logLine = (kind: string, text: string, at: Date = new Date()): string => `${time(at)}  ${kind.padEnd(9)}${printable(text)}`;
