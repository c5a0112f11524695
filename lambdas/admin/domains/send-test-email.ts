import { simulatorAddresses } from '../../../contract/sending.ts';
import type { domains as contract } from '../../../contract/admin/domains.ts';
import type { Answer, Request } from '../../../contract/rpc.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { identityIdOf } from '../../../core/runtime/identity-id.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { SenderAddresses } from '../../../core/aws/ses/sender-addresses.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains.ts';
import type { TestMailNote } from '../../../core/directory/setup.ts';
import { acceptSubmission, type AcceptConnections } from '../../../core/sending/accept-submission.ts';
import type { Suppressions } from '../../../core/sending/suppressions.ts';
import type { Write } from '../../../core/storage/table.ts';
import { isSettled, standingOf } from './standing.ts';
import { testMessage } from './test-message.ts';

type SendTestEmail = (typeof contract)['methods']['SendTestEmail'];

/** Where test mail goes out, the standard pipeline, and the single addresses that it may be from. */
export type TestSending = AcceptConnections & {
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly senderAddresses: Pick<SenderAddresses, 'find'>;
  readonly setup: TestMailNote;
};

type Connections = {
  readonly domains: Pick<Domains, 'find' | 'idOf' | 'sends'>;
  readonly emailProvider: Pick<EmailProvider, 'findDomain'>;
  readonly testSending: TestSending;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The address that a test mail is from, and the identity that vouches for it. */
type Sender = { readonly address: string; readonly identityId: string };

/** What our tables say about a test mail. */
type Found = { readonly domain: StoredDomain | undefined; readonly domainOfAddress: string | undefined; readonly reasons: ReadonlyMap<string, string> };

const notVerified = (what: string) => new RpcError('failed_precondition', `${what} is not verified for sending yet`);

/** As it is kept, or as the provider says now while that is not settled. */
const isVerified = async (domain: StoredDomain, emailProvider: Connections['emailProvider']): Promise<boolean> =>
  isSettled(domain) || isSettled(standingOf(await emailProvider.findDomain(domain.domain)));

const assertSends = ({ send_enabled: sends }: StoredDomain): void => {
  if (!sends) throw new RpcError('failed_precondition', 'sending is not enabled for the domain');
};

const senderOfDomain = async (domain: StoredDomain | undefined, emailProvider: Connections['emailProvider']): Promise<Sender> => {
  if (!domain) throw notFound('domain');
  assertSends(domain);
  if (!(await isVerified(domain, emailProvider))) throw notVerified('the domain');
  return { address: `test@${domain.domain}`, identityId: domain.id };
};

/** Its domain is one of ours and verified, or the address is verified itself. */
const senderByAddress = async (address: string, domainId: string | undefined, { domains, emailProvider, testSending: { senderAddresses } }: Connections): Promise<Sender> => {
  const [domain, own] = await Promise.all([domainId === undefined ? undefined : domains.find(domainId), senderAddresses.find(address)]);
  if (domain) assertSends(domain);
  if (domain && await isVerified(domain, emailProvider)) return { address, identityId: domain.id };
  if (own?.status === 'SUCCESS') return { address, identityId: identityIdOf(address) };
  throw notVerified('the address');
};

const assertOneSender = ({ from_email: address, id }: Request<SendTestEmail>): void => {
  if ((address === undefined) === (id === undefined)) throw new RpcError('invalid_argument', 'give one of from_email and id');
};

const recipientOf = ({ test_type: type, to_email: to }: Request<SendTestEmail>): string => {
  if (type !== 'NORMAL') return simulatorAddresses[type];
  if (to === undefined) throw new RpcError('invalid_argument', 'to_email is required for a NORMAL test mail');
  return to;
};

/** Reads what our tables say about a test mail. */
export const lookAtTestEmail = async ({ id, from_email: address, test_type: type, to_email: to, message_class: messageClass }: Request<SendTestEmail>, { domains, testSending: { suppressions }, clock }: Connections): Promise<Found> => {
  const [domain, domainOfAddress, reasons] = await Promise.all([
    id === undefined ? undefined : domains.find(id),
    address === undefined ? undefined : domains.idOf(address.slice(address.lastIndexOf('@') + 1)),
    type !== 'NORMAL' || to === undefined ? new Map<string, string>() : suppressions.findReasons([to], messageClass, clock()),
  ]);
  return { domain, domainOfAddress, reasons };
};

/**
 * Sends a test mail through the pipeline that all mail takes.
 * @throws RpcError not_found for a domain, failed_precondition for a sender that may not send yet or a recipient that is suppressed.
 */
export const sendTestEmail = async ({ domain, domainOfAddress, reasons }: Found, request: Request<SendTestEmail>, connections: Connections, audit: Audit): Promise<Answer<SendTestEmail>> => {
  const { domains, emailProvider, newId, clock, testSending: sending } = connections;
  const { test_type: type, message_class: messageClass, from_email: from } = request;
  const [recipient, submissionId, isSimulated] = [recipientOf(request), newId('submission'), type !== 'NORMAL'];
  audit.about({ entity_id: request.id ?? from ?? '', metadata: { submission_id: submissionId, test_type: type, message_class: messageClass, to: recipient } });
  assertOneSender(request);

  const sendFrom = async (sender: Sender, conditions: readonly Write[]): Promise<boolean> => {
    audit.about({ entity_name: sender.address });
    for (const reason of reasons.values()) throw new RpcError('failed_precondition', `the recipient is suppressed: ${reason}`);
    const at = clock().toISOString();
    return acceptSubmission({
      submission_id: submissionId, identity_id: sender.identityId, message_class: messageClass, mail_from: sender.address, send_at: at, created_at: at,
      ignores_suppression: isSimulated, recipients: [recipient], message: await testMessage({ from: sender.address, to: recipient, type, date: clock() }),
    }, sending, [...audit.writes(), sending.setup.testMailIsSent(), ...conditions]);
  };
  const sent = (address: string) => ({ message_id: '', note: `${isSimulated ? 'SES\'s mailbox simulator: ' : ''}from ${address} to ${recipient}`, submission_id: submissionId });

  // That its domain may send is known often enough that looking first would be a trip too many.
  if (from !== undefined && domainOfAddress !== undefined && await sendFrom({ address: from, identityId: domainOfAddress }, [domains.sends(domainOfAddress)])) return sent(from);
  const sender = from === undefined ? await senderOfDomain(domain, emailProvider) : await senderByAddress(from, domainOfAddress, connections);
  if (!(await sendFrom(sender, []))) throw new RpcError('aborted', 'the test mail was not taken over; try again');
  return sent(sender.address);
};
