import assert from 'node:assert/strict';
import type { Json } from '../support/jmap-lambda.ts';
import type { AccountRead } from './account-read.ts';
import { numberOf } from './history-messages.ts';

/** The results that clients have received. A read that begins later has all of them. */
export type KnownOutcomes = {
  readonly existing: ReadonlySet<string>;
  readonly destroyed: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
};

const isTag = (keyword: string): boolean => keyword.startsWith('tag');

/**
 * The requests of an account's clients, with their answers. An answer may be lost, so that a request that
 * was tried may have its effect or not; one that was answered has it.
 */
export class MailLedger {
  /** Numbers of the messages that were sent to the account in any way. */
  readonly tried = new Set<number>();
  /** Ids of Emails and Mailboxes that a response named as created. */
  readonly #existing = new Set<string>();
  /** Ids that a request tried to destroy, and those of which a response says so. */
  readonly triedToDestroy = new Set<string>();
  readonly #destroyed = new Set<string>();
  /** Mailboxes that a request tried to destroy with their Emails. */
  readonly doomedMailboxes = new Set<string>();
  /** The Mailboxes that requests tried to put an Email into. */
  readonly #placed = new Map<string, Set<string>>();
  /** Keywords that no client removes: those that requests tried to add, and those that were added. */
  readonly #triedTags = new Map<string, Set<string>>();
  readonly #tags = new Map<string, Set<string>>();

  #add(to: Map<string, Set<string>>, id: string, value: string): void {
    to.set(id, (to.get(id) ?? new Set()).add(value));
  }

  exists(id: string): void {
    this.#existing.add(id);
  }

  isDestroyed(id: string): void {
    this.#destroyed.add(id);
  }

  place(id: string, mailboxIds: readonly string[]): void {
    for (const mailboxId of mailboxIds) this.#add(this.#placed, id, mailboxId);
  }

  tryTag(id: string, tag: string): void {
    this.#add(this.#triedTags, id, tag);
  }

  isTagged(id: string, tag: string): void {
    this.#add(this.#tags, id, tag);
  }

  known(): KnownOutcomes {
    return {
      existing: new Set(this.#existing), destroyed: new Set(this.#destroyed),
      tags: new Map([...this.#tags].map(([id, tags]) => [id, new Set(tags)])),
    };
  }

  #mayBeGone(id: string): boolean {
    return this.triedToDestroy.has(id) || [...this.#placed.get(id) ?? []].some((mailboxId) => this.doomedMailboxes.has(mailboxId));
  }

  /** @param before what was known when the read began. @throws AssertionError when mail is lost, doubled or changed back. */
  check({ emails, mailboxes }: AccountRead, before: KnownOutcomes): void {
    const found = new Map<string, Json>([...emails, ...mailboxes].map((record) => [record['id'] as string, record]));
    for (const id of before.existing) assert.ok(found.has(id) || this.#mayBeGone(id), `${id} is lost`);
    for (const id of before.destroyed) assert.ok(!found.has(id), `${id} is back after it was destroyed`);
    const numbers = emails.map(numberOf);
    for (const [index, number] of numbers.entries()) {
      assert.ok(this.tried.has(number), `nothing sent the message ${number} to the account`);
      assert.equal(numbers.indexOf(number), index, `the message ${number} is doubled`);
    }
    for (const { id, keywords } of emails as readonly { id: string; keywords: object }[]) {
      const tags = Object.keys(keywords).filter(isTag);
      for (const tag of before.tags.get(id) ?? []) assert.ok(tags.includes(tag), `${id} lost the keyword ${tag}`);
      for (const tag of tags) assert.ok(this.#triedTags.get(id)?.has(tag), `${id} has the keyword ${tag} of nobody`);
    }
  }
}
