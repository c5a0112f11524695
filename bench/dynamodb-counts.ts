import { mailboxesOf } from '../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../core/mail/email/email-type.ts';
import { accountId, deliverLambda, jmapLambda, openingRequest, pageRequest, tablesWith } from './lambdas-in-memory.ts';
import { Meter, type Reading } from './table-meter.ts';

/** What each thing takes of DynamoDB in an account of one size, by a warm Lambda through its front door. */
export type Counted = {
  readonly messages: number;
  readonly mailboxes: Reading;
  readonly changes: Reading;
  readonly page: Reading;
  readonly opening: Reading;
  readonly set: Reading;
  readonly delivery: Reading & { readonly objectsWritten: number };
  /** The first request of a Lambda that holds nothing yet. */
  readonly cold: Reading;
};

/** Counts everything in an account of so many messages. */
export const count = async (messages: number): Promise<Counted> => {
  const meter = new Meter();
  const tables = await tablesWith(messages);
  const [directory, mail] = [meter.watch(tables.directory), meter.watch(tables.mail)];
  const jmap = jmapLambda(directory, mail);
  const arrivals = deliverLambda(directory, mail);
  const cold = await meter.read(() => jmap.perform(['Mailbox/get', { accountId, ids: null }, 'a']));
  const view = (await jmap.store.open(accountId))!;
  const inbox = mailboxesOf(view).all().find(({ role }) => role === 'inbox')!.id;
  const [newest] = emailsOf(view).query({ inMailbox: inbox }, []).slice(0, 1);

  const mailboxes = await meter.read(() => jmap.perform(['Mailbox/get', { accountId, ids: null }, 'a']));
  const page = await meter.read(() => jmap.perform(...pageRequest(inbox)));
  const opening = await meter.read(() => jmap.perform(...openingRequest(inbox)));
  const set = await meter.read(() => jmap.perform(['Email/set', { accountId, update: { [newest!]: { 'keywords/$flagged': true } } }, 'a']));
  const sinceState = (await jmap.store.open(accountId))!.state('Email');
  const written = arrivals.written();
  const delivery = await meter.read(() => arrivals.deliver());
  const changes = await meter.read(() => jmap.perform(['Email/changes', { accountId, sinceState }, 'a']));
  return { messages, mailboxes, changes, page, opening, set, delivery: { ...delivery, objectsWritten: arrivals.written() - written }, cold };
};
