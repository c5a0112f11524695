import type { MailboxRecord } from './mailbox-record.ts';

/** Ids by key. */
class IdGroups {
  readonly #groups = new Map<string, Set<string>>();

  add(key: string, id: string): void {
    const group = this.#groups.get(key) ?? new Set();
    this.#groups.set(key, group.add(id));
  }

  remove(key: string, id: string): void {
    this.#groups.get(key)?.delete(id);
  }

  get(key: string): readonly string[] {
    return [...(this.#groups.get(key) ?? [])];
  }

  isEmpty(key: string): boolean {
    return !this.#groups.get(key)?.size;
  }
}

const nameKey = (parentId: string | null, name: string): string => `${parentId ?? ''}/${name}`;

/** The Mailboxes of an account, with the changes of a call. */
export class MailboxTree {
  readonly #records = new Map<string, MailboxRecord>();
  readonly #children = new IdGroups();
  readonly #names = new IdGroups();
  readonly #roles = new IdGroups();

  constructor(records: readonly MailboxRecord[]) {
    for (const record of records) this.put(record);
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): MailboxRecord | undefined {
    return this.#records.get(id);
  }

  /** All Mailboxes, in the order in which they were added. */
  all(): readonly MailboxRecord[] {
    return [...this.#records.values()];
  }

  /** Adds a Mailbox, or replaces the Mailbox with the same id, which keeps its position. */
  put(record: MailboxRecord): void {
    this.#removeKeys(record.id);
    const { id, name, parentId, role } = record;
    this.#records.set(id, record);
    if (parentId !== null) this.#children.add(parentId, id);
    this.#names.add(nameKey(parentId, name), id);
    if (role !== null) this.#roles.add(role, id);
  }

  remove(id: string): void {
    this.#removeKeys(id);
    this.#records.delete(id);
  }

  copy(): MailboxTree {
    return new MailboxTree(this.all());
  }

  hasChildren(id: string): boolean {
    return !this.#children.isEmpty(id);
  }

  /** The height of the Mailbox's subtree in levels; 1 for a Mailbox without children. */
  heightOf(id: string): number {
    return 1 + Math.max(0, ...this.#children.get(id).map((child) => this.heightOf(child)));
  }

  /** Ids of the Mailboxes with this name under the parent. Concurrent commits may have given the name to several. */
  withName(parentId: string | null, name: string): readonly string[] {
    return this.#names.get(nameKey(parentId, name));
  }

  withRole(role: string): readonly string[] {
    return this.#roles.get(role);
  }

  #removeKeys(id: string): void {
    const record = this.#records.get(id);
    if (!record) return;
    if (record.parentId !== null) this.#children.remove(record.parentId, id);
    this.#names.remove(nameKey(record.parentId, record.name), id);
    if (record.role !== null) this.#roles.remove(record.role, id);
  }
}
