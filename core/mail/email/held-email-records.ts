import type { Table } from '../../storage/table.ts';
import type { AccountIndex } from '../account-index.ts';
import { recordSize, readEmailRecords, type EmailRecord } from './email-record.ts';
import { emailsOf } from './email-type.ts';

/** Characters of records that one Lambda holds, as they are stored. In memory they take two to three octets each. */
export const maxHeldCharacters = 4_000_000;

/**
 * The records of Emails that a Lambda has read. Records never change, so they are not read again: clients ask for the
 * same first page over and over. The least recently used ones are dropped first.
 */
export class HeldEmailRecords {
  readonly #limit: number;
  /** By account and id. */
  readonly #records = new Map<string, EmailRecord>();
  #characters = 0;

  /** @param limit characters that are held at most; 0 holds none. */
  constructor(limit = maxHeldCharacters) {
    this.#limit = limit;
  }

  /**
   * Records by id. Those that are not held are read in one BatchGet; unknown ones are omitted.
   * @param account the account in memory. It says which of the held Emails still exist; without it all are read.
   */
  async read(table: Table, accountId: string, ids: readonly string[], account: AccountIndex | undefined): Promise<ReadonlyMap<string, EmailRecord>> {
    const found = new Map<string, EmailRecord>();
    const missing: string[] = [];
    for (const id of ids) {
      const record = account && emailsOf(account).has(id) ? this.#use(`${accountId} ${id}`) : undefined;
      if (record) found.set(id, record);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const [id, record] of await readEmailRecords(table, accountId, missing)) {
      found.set(id, record);
      this.#keep(`${accountId} ${id}`, record);
    }
    return found;
  }

  #use(key: string): EmailRecord | undefined {
    const record = this.#records.get(key);
    if (!record) return undefined;
    this.#records.delete(key);
    this.#records.set(key, record);
    return record;
  }

  #keep(key: string, record: EmailRecord): void {
    this.#drop(key);
    this.#records.set(key, record);
    this.#characters += recordSize(record);
    for (const oldest of this.#records.keys()) {
      if (this.#characters <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const record = this.#records.get(key);
    if (!record) return;
    this.#records.delete(key);
    this.#characters -= recordSize(record);
  }
}
