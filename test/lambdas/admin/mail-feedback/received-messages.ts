import type { ReceivedMessage } from '../../../../contract/admin/received-mail.ts';
import type { QuotaAmounts } from '../../../../contract/jmap/quota.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { deliverDeployment } from '../../deliver/deliver-deployment.ts';

export const firstArrival = Date.parse('2026-11-21T08:00:00.000Z');
export const minute = 60_000;

/** A message that arrives. Default: from Ann to Alice. */
type Arrival = Partial<{
  readonly id: string;
  readonly to: readonly string[];
  readonly sender: string;
  readonly from: string;
  readonly subject: string;
  readonly at: number;
  readonly verdicts: Readonly<Record<string, string>>;
}>;

/** The deliver Lambda and the admin API on the same tables, with a clock. */
export const receivedMail = async (quotaDefaults?: QuotaAmounts) => {
  const mail = await deliverDeployment(quotaDefaults);
  let now = firstArrival;
  const clock = () => new Date(now);
  const api = await adminApi({ mail: mail.mailTable, sending: mail.sendingTable, clock });
  let arrived = 0;
  const deliverBodies = async (bodies: readonly string[], more: Parameters<typeof mail.deliver>[1] = {}) => {
    expect(await mail.deliver(bodies, { clock, ...more })).toEqual([]);
  };
  return {
    mail,
    api,
    clock,
    setTime: (time: number) => {
      now = time;
    },
    deliverBodies,
    /** The body of the queue record of a message. */
    arrive: ({ to = ['alice@example.test'], sender = 'ann@elsewhere.test', from = `Ann <${sender}>`, at = now, ...more }: Arrival = {}) => {
      const { id = `m${++arrived}`, subject = `Subject of ${id}`, verdicts } = more;
      const raw = `From: ${from}\r\nTo: ${to.join(', ')}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@elsewhere.test>\r\n\r\nA secret\r\n`;
      return mail.arrive(`ses-${id}`, raw, to, { sender, timestamp: new Date(at).toISOString(), ...(verdicts && { verdicts }) });
    },
    /** Handles the messages that the Lambda has sent to its own queue, each after its delay. */
    async handleQueue() {
      for (const { message, delaySeconds } of mail.queue.messages.splice(0)) {
        now += delaySeconds * 1000;
        await deliverBodies([JSON.stringify(message)]);
      }
    },
    async list(request: object = {}): Promise<ReceivedMessage[]> {
      return (await api.ok('/mail-feedback/ListReceivedMessages', request))['messages'] as ReceivedMessage[];
    },
    async get(received_id: string): Promise<ReceivedMessage> {
      return (await api.ok('/mail-feedback/GetReceivedMessage', { received_id }))['message'] as unknown as ReceivedMessage;
    },
    /** Changes the Email of the account that arrived last. @param recoverableSeconds how long a destroyed Email can be restored. */
    async changeEmail(accountId: string, change: 'destroy' | { readonly mailboxRole: string }, recoverableSeconds = 0) {
      const store = mailStore({ table: mail.mailTable, recoverableSeconds });
      const view = (await store.open(accountId))!;
      const id = emailsOf(view).ids().at(-1)!;
      const mailboxId = mailboxesOf(view)
        .all()
        .find(({ role }) => change !== 'destroy' && role === change.mailboxRole)?.id;
      await store.commit(view, () => ({
        principalId: 'user_ann',
        records: { Email: change === 'destroy' ? { destroy: [id] } : { put: [{ ...emailsOf(view).get(id)!, mailboxIds: [mailboxId!] }] } },
      }));
    },
  };
};
export type ReceivedMail = Awaited<ReturnType<typeof receivedMail>>;
