import { callsAtOnce } from '../../../contract/client.ts';
import { mapConcurrently } from '../../../contract/values/map-concurrently.ts';

/** The outcome of a row. */
export type Outcome =
  | { readonly state: 'waiting' | 'running' | 'stopped' }
  | { readonly state: 'done'; readonly text?: string | undefined }
  | { readonly state: 'failed'; readonly error: unknown };

type BulkRun<Item> = {
  /** Makes the change of an item, and returns a remark on it. */
  readonly run: (item: Item) => Promise<string | undefined>;
  readonly note: (item: Item, outcome: Outcome) => void;
  /** Whether no further change is begun. */
  readonly isStopped: () => boolean;
};

/** Makes the change of each item, a few at a time, and notes its outcome. A failure ends nothing but its own item. */
export const runBulk = async <Item>(items: readonly Item[], { run, note, isStopped }: BulkRun<Item>): Promise<void> => {
  for (const item of items) note(item, { state: 'waiting' });
  await mapConcurrently(items, callsAtOnce, async (item) => {
    if (isStopped()) return note(item, { state: 'stopped' });
    note(item, { state: 'running' });
    const outcome = await run(item).then(
      (text): Outcome => ({ state: 'done', text }),
      (error: unknown): Outcome => ({ state: 'failed', error }),
    );
    return note(item, outcome);
  });
};
