import { maxGroupMembers } from '../../../contract/admin/aliases.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { deliverLambda } from '../fixtures/lambdas-in-memory.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The DynamoDB usage of a message for a group with as many members as one may have, all accounts here. */
export type GroupCounts = {
  /** The record that SES's notification is. */
  readonly first: TableUsage;
  /** The number of further records, and the usage of the one that used most. */
  readonly records: number;
  readonly record: TableUsage;
  readonly writeUnitsOfMember: number;
  readonly readUnitsOfMember: number;
};

const email = 'all@example.test';
const group = { group_id: 'group_all', email, domain_id: 'dom_1', name: 'All', writers: 'ANYONE', members_may_send: false, member_count: 0 } as const;

export const countGroup = async (): Promise<GroupCounts> => {
  const meter = new TableMeter();
  const [directory, mail, sending] = [memoryTable(), memoryTable(), memoryTable()];
  const at = new Date().toISOString();
  const ids = Array.from({ length: maxGroupMembers }, (_, number) => `acc_${String(number).padStart(21, '0')}`);
  await directory.write([
    { put: { pk: 'domain', sk: 'dom_1', state: 'ready', address_count: 0 } },
    { put: { pk: 'domain-name', sk: 'example.test', domain_id: 'dom_1', receive_enabled: true } },
  ]);
  const store = mailStore({ table: mail });
  for (const id of ids) {
    await directory.write([{ put: { pk: 'account', sk: id, name: 'A person of the firm', email: `person.${id.slice(-4)}@example.test`, owner_id: 'user_1' } }]);
    await store.createAccount(id);
  }
  await groupsIn(directory).create({ ...group, created_at: at, updated_at: at }, []);
  for (let from = 0; from < ids.length; from += 25) await groupsIn(directory).addMembers(group.group_id, ids.slice(from, from + 25), new Date(), () => []);
  const arrivals = deliverLambda(meter.watch(directory), meter.watch(mail), meter.watch(sending), (objects) => ({ get: meter.watchReads(objects).get }));
  const first = await meter.measure(() => arrivals.deliver(undefined, email));
  const records: TableUsage[] = [];
  for (const deliver of arrivals.queued()) records.push(await meter.measure(deliver));
  const sum = (units: 'readUnits' | 'writeUnits') => [first, ...records].reduce((total, usage) => total + usage[units], 0) / ids.length;
  const most = (what: keyof TableUsage) => Math.max(...records.map((usage) => usage[what]));
  return {
    first,
    records: records.length,
    record: { trips: most('trips'), readUnits: most('readUnits'), writeUnits: most('writeUnits') },
    writeUnitsOfMember: sum('writeUnits'),
    readUnitsOfMember: sum('readUnits'),
  };
};
