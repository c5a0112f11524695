import { WriteRefused, type Item, type Key, type Table } from '../storage/table.ts';
import type { Told } from './push-state.ts';

/** What a listener was told, read from its item. */
export const toldIn = (listener: Item): Told => new Map(Object.entries(listener['told'] as Record<string, number>));

/**
 * Remembers what a listener was told: after it was told, so that a crash between repeats and never loses. Other accounts' entries are left alone.
 * A listener that is gone stays so; one that somebody else is writing in this moment keeps what it had, and is told again.
 * @param told by account id, the sequence number of the last commit that was told of.
 */
export const raiseTold = async (table: Table, listener: Key, told: { readonly [accountId: string]: number }): Promise<void> => {
  try {
    await table.write([{ update: listener, merge: { told }, if: { present: true } }]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};
