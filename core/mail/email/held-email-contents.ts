import type { AccountIndex } from '../../account-index/account-index.ts';
import type { Table } from '../../storage/table.ts';
import { parseRecordText, readRecordTexts, type EmailContent } from './email-content.ts';
import { emailsOf } from './email-type.ts';

/** Maximum characters of records that one Lambda keeps in memory. A character takes one to three octets. */
const maxHeldCharacters = 4_000_000;

/**
 * Content in its stored form, which is parsed when it is used from memory for the first time. Many records are read
 * only once, and the garbage collector handles a text faster than parsed objects.
 */
type HeldRecord = { readonly text: string; record?: EmailContent };

/**
 * Caches the records of Emails that a Lambda has read. Records never change, so a cached record is not read again. It
 * helps because clients request the same first page many times. The least recently used records are dropped first.
 */
export class HeldEmailContents {
  readonly #limit: number;
  /** Records by account and Email id. */
  readonly #records = new Map<string, HeldRecord>();
  #characters = 0;

  /** @param limit maximum characters in memory; 0 disables the cache. */
  constructor(limit = maxHeldCharacters) {
    this.#limit = limit;
  }

  /**
   * Reads records by id. Unknown ids are omitted.
   * @param account tells which cached Emails still exist; without it all records are read from the table.
   */
  async read(table: Table, accountId: string, ids: readonly string[], account: AccountIndex | undefined): Promise<ReadonlyMap<string, EmailContent>> {
    const found = new Map<string, EmailContent>();
    const missing: string[] = [];
    for (const id of ids) {
      const record = account && emailsOf(account).has(id) ? this.#use(`${accountId} ${id}`) : undefined;
      if (record) found.set(id, record);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const [id, text] of await readRecordTexts(table, accountId, missing)) {
      found.set(id, parseRecordText(text));
      this.#keep(`${accountId} ${id}`, text);
    }
    return found;
  }

  #use(key: string): EmailContent | undefined {
    const held = this.#records.get(key);
    if (!held) return undefined;
    this.#records.delete(key);
    this.#records.set(key, held);
    return (held.record ??= parseRecordText(held.text));
  }

  #keep(key: string, text: string): void {
    this.#drop(key);
    this.#records.set(key, { text });
    this.#characters += text.length;
    for (const oldest of this.#records.keys()) {
      if (this.#characters <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const held = this.#records.get(key);
    if (!held) return;
    this.#records.delete(key);
    this.#characters -= held.text.length;
  }
}
