import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';

/** The name of the file with the flags of an mbox that `export` wrote, which is beside it. */
export const flagsFileOf = (mboxPath: string): string => `${mboxPath}.flags.jsonl`;

/** A line of that file: the properties of a message that an mbox can't contain, in the order of the messages. */
export const ExportedFlags = z.object({
  /** The id of the Email that was exported. */
  id: z.string(),
  /** Octets of the message. */
  size: z.number(),
  /** The offset after the message and its blank line in the mbox. */
  end: z.int().min(0),
  keywords: z.array(z.string()),
  receivedAt: z.string(),
  /** The names of each of its mailboxes from the top; absent when the mbox has the messages of one mailbox. */
  mailboxes: z.array(z.object({
    path: z.array(z.string()).min(1), role: z.string().nullable(),
    /** The role of the first mailbox of the path. */
    topRole: z.string().nullable().optional(),
  })).optional(),
});
export type ExportedFlags = z.output<typeof ExportedFlags>;

const parseLine = (line: string): ExportedFlags | undefined => {
  try {
    return ExportedFlags.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

/** Reads the complete lines of such a file. Empty when the file does not exist. */
export const readExportedFlags = async function* (path: string): AsyncGenerator<ExportedFlags> {
  const input = createReadStream(path);
  const opened = await new Promise<boolean>((resolve) => {
    input.once('open', () => resolve(true));
    input.once('error', () => resolve(false));
  });
  if (!opened) return;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const flags = parseLine(line);
    if (!flags) return;
    yield flags;
  }
};
