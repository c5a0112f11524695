import type { Table } from '../../storage/table.ts';
import type { AccountIndex } from '../../account-index/account-index.ts';
import { parseRecordText, readRecordTexts, type EmailContent } from './email-content.ts';
import { emailsOf } from './email-type.ts';

/**
 * Maximum characters of records that one Lambda holds, as they are stored. In memory they take one to three octets
 * each.
 */
const maxHeldCharacters = 4_000_000;

/**
 * Content in its stored form, which is parsed when it is used from memory for the first time. Many pages are read once
 * only, and a text costs the garbage collector less than parsed objects.
 */
type HeldRecord = { readonly text: string; record?: EmailContent };

/**
 * The records of Emails that a Lambda has read. Records never change, so they are not read again: clients ask for the
 * same first page over and over. The least recently used ones are dropped first.
 */
export class HeldEmailContents {
  readonly #limit: number;
  /** By account and id. */
  readonly #records = new Map<string, HeldRecord>();
  #characters = 0;

  /** @param limit characters that are held at most; 0 holds none. */
  constructor(limit = maxHeldCharacters) {
    this.#limit = limit;
  }

  /**
   * Records by id. Those that are not held are read in one BatchGet; unknown ones are omitted.
   * @param account the account in memory. It says which of the held Emails still exist; without it all are read.
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
    return held.record ??= parseRecordText(held.text);
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
