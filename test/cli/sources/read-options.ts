import type { MailSource, ReadOptions, SourceItem } from '../../../cli/sources/mail-source.ts';

export const readOptions: ReadOptions = { maxMessageSize: 1_000_000, isKnown: () => false, signal: new AbortController().signal };

/** All values of an iterable. */
export const collect = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
};

/** Reads the items of a source and closes it. */
export const readAll = async (source: MailSource, options: Partial<ReadOptions> = {}): Promise<SourceItem[]> => {
  const items = await collect(source.read({ ...readOptions, ...options }));
  await source.close();
  return items;
};

/** The description of a source's messages, with contents as text. */
export const described = (items: readonly SourceItem[]) =>
  items.map((item) =>
    item.kind !== 'message'
      ? { [item.kind]: item.reason }
      : {
          text: item.content?.toString('latin1'),
          folders: item.folders.map(({ path, role }) => `${path.join('/')}${role ? ` (${role})` : ''}`),
          keywords: item.keywords,
          receivedAt: item.receivedAt.toISOString(),
        },
  );
