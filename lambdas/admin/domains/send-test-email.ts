import { domains as contract, type TestEmailType } from '../../../contract/admin/domains.ts';
import { simulatorAddresses } from '../../../contract/deployment/sending.ts';
import type { Answer, Request } from '../../../contract/rpc/rpc.ts';
import { emailAddressRequirement } from '../../../contract/values/fields.ts';
import { domainOf, parseEmailAddress } from '../../../contract/values/mail-address.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import { composeField } from '../../../core/mime/compose/compose-header-field.ts';
import { composeMessage } from '../../../core/mime/compose/compose-message.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import { identityIdOf } from '../../../core/runtime/ids.ts';
import { acceptSubmission } from '../../../core/sending/submission/accept-submission.ts';
import type { Write } from '../../../core/storage/table.ts';
import { isVerified, providerStatus } from './domain-provider-status.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'emailProvider' | 'testSending' | 'newId' | 'clock'>;
type SendTestEmail = typeof contract.methods.SendTestEmail;

const purposes: { readonly [Type in TestEmailType]: string } = {
  NORMAL: 'If you can read it, mail from this address arrives.',
  BOUNCE: "SES's mailbox simulator answers it with a bounce.",
  COMPLAINT: "SES's mailbox simulator answers it with a complaint.",
  OOTO: "SES's mailbox simulator answers it with an out-of-office reply.",
};

/** Composes the raw message (RFC 5322). It asks for no automatic responses (RFC 3834 §5). */
const composeTestMessage = ({ from, to, type, date, id }: { from: string; to: string; type: TestEmailType; date: Date; id: string }): Buffer => {
  const domain = domainOf(from);
  const fields = [
    composeField('From', { form: 'asAddresses', value: [{ name: null, email: from }] }),
    composeField('To', { form: 'asAddresses', value: [{ name: null, email: to }] }),
    composeField('Subject', { form: 'asText', value: `Postrider test mail from ${from}` }),
    composeField('Date', { form: 'asDate', value: date.toISOString() }),
    composeField('Message-ID', { form: 'asMessageIds', value: [`${id}@${domain}`] }),
    composeField('Auto-Submitted', { form: 'asText', value: 'auto-generated' }),
  ].filter((field) => field !== undefined);
  const text = `This is a test mail that an operator of ${domain} sent through Postrider.\n${purposes[type]}\n`;
  return composeMessage({ fields, root: { type: { value: 'text/plain' }, fields: [], content: { text } } }, () => id);
};

/** The address from which a test mail is sent, and the id of the identity that may send from it. */
type Sender = { readonly address: string; readonly identityId: string };

const notVerified = (subject: string) => new RpcError('failed_precondition', `${subject} is not verified for sending yet`);

/** Whether the domain is verified: by the stored status or, if that is not verified, by the provider's status. */
const isDomainVerified = async (domain: StoredDomain, emailProvider: Dependencies['emailProvider']): Promise<boolean> =>
  isVerified(domain) || isVerified(providerStatus(await emailProvider.findDomain(domain.domain)));

const assertSendEnabled = ({ send_enabled: isEnabled }: StoredDomain): void => {
  if (!isEnabled) throw new RpcError('failed_precondition', 'sending is not enabled for the domain');
};

const senderOfDomain = async (domain: StoredDomain | undefined, emailProvider: Dependencies['emailProvider']): Promise<Sender> => {
  if (!domain) throw notFound('domain');
  assertSendEnabled(domain);
  if (!(await isDomainVerified(domain, emailProvider))) throw notVerified('the domain');
  return { address: `test@${domain.domain}`, identityId: domain.id };
};

/** The sender for an address, which is at a verified domain of the deployment or verified itself. */
const senderOfAddress = async (
  address: string,
  domainId: string | undefined,
  { domains, emailProvider, testSending: { senderAddresses } }: Dependencies,
): Promise<Sender> => {
  const [domain, ownIdentity] = await Promise.all([domainId === undefined ? undefined : domains.find(domainId), senderAddresses.find(address)]);
  if (domain) assertSendEnabled(domain);
  if (domain && (await isDomainVerified(domain, emailProvider))) return { address, identityId: domain.id };
  if (ownIdentity?.status === 'SUCCESS') return { address, identityId: identityIdOf(address) };
  throw notVerified('the address');
};

const recipientOf = ({ test_type: type, to_email: to }: Request<SendTestEmail>): string => {
  if (type !== 'NORMAL') return simulatorAddresses[type];
  if (to === undefined) throw new RpcError('invalid_argument', 'to_email is required for a NORMAL test mail');
  if (parseEmailAddress(to) === undefined) throw new RpcError('invalid_argument', `to_email ${emailAddressRequirement}`);
  return to;
};

/**
 * The domain with the id `id`, the id of the domain of `from_email`, and the reasons why the recipient is suppressed.
 */
type Prefetched = {
  readonly domain: StoredDomain | undefined;
  readonly fromDomainId: string | undefined;
  readonly suppressionReasons: ReadonlyMap<string, string>;
};

const prefetch = async (
  { id, from_email: from, test_type: type, to_email: to, message_class: messageClass }: Request<SendTestEmail>,
  { domains, testSending: { suppressions }, clock }: Dependencies,
): Promise<Prefetched> => {
  const isUsedAddress = type === 'NORMAL' && to !== undefined && parseEmailAddress(to) !== undefined;
  const [domain, fromDomainId, suppressionReasons] = await Promise.all([
    id === undefined ? undefined : domains.find(id),
    from === undefined ? undefined : domains.findIdByName(domainOf(from)),
    isUsedAddress ? suppressions.findReasons([to], messageClass, clock()) : new Map<string, string>(),
  ]);
  return { domain, fromDomainId, suppressionReasons };
};

/**
 * Sends a test mail through the same pipeline as any submission.
 * @throws RpcError not_found for the domain; failed_precondition for a sender that may not send yet, or a suppressed
 * recipient; aborted.
 */
const send = async (
  dependencies: Dependencies,
  { domain, fromDomainId, suppressionReasons }: Prefetched,
  request: Request<SendTestEmail>,
  audit: Audit,
): Promise<Answer<SendTestEmail>> => {
  const { domains, emailProvider, newId, clock, testSending } = dependencies;
  const { test_type: type, message_class: messageClass, from_email: from, id } = request;
  const recipient = recipientOf(request);
  const submissionId = newId('submission');
  const isSimulated = type !== 'NORMAL';
  audit.describe({ entity_id: id ?? from ?? '', metadata: { submission_id: submissionId, test_type: type, message_class: messageClass, to: recipient } });
  if ((from === undefined) === (id === undefined)) throw new RpcError('invalid_argument', 'give one of from_email and id');

  const submit = async (sender: Sender, conditions: readonly Write[]): Promise<boolean> => {
    audit.describe({ entity_name: sender.address });
    for (const reason of suppressionReasons.values()) throw new RpcError('failed_precondition', `the recipient is suppressed: ${reason}`);
    const now = clock().toISOString();
    const message = composeTestMessage({ from: sender.address, to: recipient, type, date: clock(), id: submissionId });
    return acceptSubmission(
      {
        submission_id: submissionId,
        identity_id: sender.identityId,
        message_class: messageClass,
        mail_from: sender.address,
        send_at: now,
        created_at: now,
        ignores_suppression: isSimulated,
        recipients: [recipient],
        message,
      },
      testSending,
      [...audit.successWrites(), testSending.setup.testMailSentWrite(), ...conditions],
    );
  };
  const answer = (address: string): Answer<SendTestEmail> => ({
    message_id: '',
    note: `${isSimulated ? "SES's mailbox simulator: " : ''}from ${address} to ${recipient}`,
    submission_id: submissionId,
  });

  // The domain of the address is usually allowed to send. A condition of the write checks this, which saves a round
  // trip for reading the domain first.
  if (from !== undefined && fromDomainId !== undefined) {
    if (await submit({ address: from, identityId: fromDomainId }, [domains.canSendCheck(fromDomainId)])) return answer(from);
  }
  const sender = from === undefined ? await senderOfDomain(domain, emailProvider) : await senderOfAddress(from, fromDomainId, dependencies);
  if (!(await submit(sender, []))) throw new RpcError('aborted', 'the test mail was not accepted; try again');
  return answer(sender.address);
};

export const sendTestEmail = (dependencies: Dependencies) =>
  adminMethod(contract.methods.SendTestEmail, {
    prefetch: (request) => prefetch(request, dependencies),
    run: (request, { audit }, prefetched) => send(dependencies, prefetched, request, audit),
  });
