import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../../state/state-file.ts';

/** A message to recipients outside the sandbox. */
export type OutboxEntry = {
  /** SES's id of the message. */
  readonly id: string;
  /** Time of sending, in ISO 8601. */
  readonly at: string;
  readonly from: string;
  /** The envelope recipients outside the sandbox. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly configurationSet?: string;
};

export type Outbox = {
  add(entry: OutboxEntry, message: Buffer): Promise<void>;
  /** Lists entries, newest first. */
  list(): readonly OutboxEntry[];
  find(id: string): OutboxEntry | undefined;
  raw(id: string): Promise<Buffer>;
  clear(): Promise<void>;
};

const oldestFirst = (one: OutboxEntry, other: OutboxEntry): number => one.at.localeCompare(other.at);

const readEntries = async (directory: string): Promise<OutboxEntry[]> => {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => {
      const entry: OutboxEntry = JSON.parse(await readFile(join(directory, name), 'utf8'));
      return entry;
    }),
  );
};

/** Opens the outbox in this directory. Each message is `<id>.eml`, and `<id>.json`, which is written afterwards. */
export const openOutbox = async (directory: string): Promise<Outbox> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const entries = new Map((await readEntries(directory)).sort(oldestFirst).map((entry) => [entry.id, entry]));
  return {
    async add(entry, message) {
      await writeWhole(join(directory, `${entry.id}.eml`), message);
      await writeWhole(join(directory, `${entry.id}.json`), JSON.stringify(entry));
      entries.set(entry.id, entry);
    },
    list: () => [...entries.values()].toReversed(),
    find: (id) => entries.get(id),
    async raw(id) {
      if (!entries.has(id)) throw new Error('No such message');
      return readFile(join(directory, `${id}.eml`));
    },
    async clear() {
      const ids = [...entries.keys()];
      entries.clear();
      await Promise.all(ids.flatMap((id) => [rm(join(directory, `${id}.json`), { force: true }), rm(join(directory, `${id}.eml`), { force: true })]));
    },
  };
};
