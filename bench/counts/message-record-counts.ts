import { receivedItem, receivedListings, type ReceivedMessage } from '../../core/mail-types/delivery/received-message.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import type { Table } from '../../core/storage/table.ts';
import { memoryTable } from '../../test/fakes/memory-table.ts';
import { adminApi } from '../../test/support/admin-api.ts';
import { newSubmission } from '../../test/support/send-pipeline.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The usage of one page of 50 messages. */
export type RecordPage = TableUsage & {
  /** The filter in words. */
  readonly what: string;
  /** Messages on the page. */
  readonly messages: number;
};

const address = 'alice@example.test';
const days = 89;

/** The time of a message, evenly in the last 89 days. */
const timeOf = (index: number, records: number): string => new Date(Date.now() - 60_000 - (index / records) * days * 86_400_000).toISOString();

const receivedMessage = (index: number, records: number): ReceivedMessage => {
  const author = `author.${index % 100}@mail.example.net`;
  return {
    sesMessageId: `ses-${index}`, at: timeOf(index, records), sender: author, author, from: `Author ${index % 100} <${author}>`,
    subject: `The plan for tomorrow, number ${index}`, messageId: `${index}@mail.example.net`, size: 20_000, isJunk: false,
    verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' }, recipients: { [address]: { n: 0, account: 'acc_alice' } },
  };
};

const storeReceived = async (table: Table, records: number): Promise<void> => {
  for (let index = 0; index < records; index++) {
    const message = receivedMessage(index, records);
    for (const put of [receivedItem(message), ...receivedListings(message)]) await table.write([{ put }]);
  }
};

const storeSent = async (table: Table, records: number): Promise<void> => {
  const submissions = submissionsIn(table);
  const message = Buffer.from('From: alice@example.test\r\nSubject: The plan for tomorrow\r\nMessage-ID: <plan@example.test>\r\n\r\nHello\r\n');
  for (let index = 0; index < records; index++) {
    const at = timeOf(index, records);
    const { writes, found } = submissions.createWrites(newSubmission({
      submission_id: `submission_${index}`, mail_from: address, send_at: at, created_at: at, recipients: [`recipient.${index % 100}@mail.example.net`], message,
    }), 'key', at);
    await table.write([...writes]);
    await submissions.index(found);
  }
};

/** Counts pages of received and of sent mail when one address has all records, as many as given. */
export const countRecordPages = async ({ received, sent }: { readonly received: number; readonly sent: number }): Promise<readonly RecordPage[]> => {
  const pages: RecordPage[] = [];
  for (const [method, records, store, filters] of [
    ['ListReceivedMessages', received, storeReceived, [
      ['to an address', { address }], ['of one author in a hundred', { address: 'author.7@mail.example.net' }],
      ['with a Message-ID', { message_id: `${received >> 1}@mail.example.net` }], ['without a filter', {}],
    ]],
    ['ListSentMessages', sent, storeSent, [
      ['from an address', { address }], ['to one recipient in a hundred', { address: 'recipient.7@mail.example.net' }], ['without a filter', {}],
    ]],
  ] as const) {
    const [meter, sending] = [new TableMeter(), memoryTable()];
    await store(sending, records);
    const api = await adminApi({ mail: meter.watch(memoryTable()), sending: meter.watch(sending), clock: () => new Date() });
    for (const [what, filter] of filters) {
      let messages = 0;
      const usage = await meter.measure(async () => {
        messages = ((await api.ok(`/mail-feedback/${method}`, { ...filter, page_size: 50 }))['messages'] as unknown[]).length;
      });
      pages.push({ what: `${method} ${what}`, messages, ...usage });
    }
  }
  return pages;
};
