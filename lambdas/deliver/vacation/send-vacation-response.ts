import { randomBytes } from 'node:crypto';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { VacationWindow } from '../../../core/account-log/head.ts';
import { accountAliasesIn, type Aliases } from '../../../core/directory/aliases/aliases.ts';
import { aliasMaySend } from '../../../core/directory/aliases/may-send.ts';
import { domainsIn, type Domains } from '../../../core/directory/domains/domains.ts';
import { aliasIdentityKey, aliasProperties, identityOfItem } from '../../../core/mail/identity-type.ts';
import { countResponse, hadResponse, rememberResponse, respondedSenderKey, respondedSenderOf, responseContent } from '../../../core/mail/responded-senders.ts';
import { vacationResponseCodec, vacationResponseKey, vacationWindowOf, type VacationResponseRecord } from '../../../core/mail/vacation-response-type.ts';
import type { HeaderField } from '../../../core/mime/header-fields.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { newId, type NewId } from '../../../core/runtime/ids.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { suppressionsIn, type Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { acceptSubmission, type AcceptDependencies } from '../../../core/sending/submission/accept-submission.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import { headerFieldsOf } from '../bounces/bounce-policy.ts';
import { readBeginning } from '../received/message-reader.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';
import { composeVacationMessage } from './vacation-message.ts';
import { notificationObstacle, responseProblem, responseRecipient } from './vacation-policy.ts';

export type VacationDependencies = {
  readonly aliases: Pick<Aliases, 'findByAccount'>;
  readonly domains: Pick<Domains, 'find' | 'findIdByName'>;
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly sending: AcceptDependencies;
  readonly newId: NewId;
};

/** Makes the dependencies of responses from these tables. */
export const vacationDependencies = ({
  directoryTable,
  sendingTable,
  ...sending
}: { readonly directoryTable: Table; readonly sendingTable: Table; readonly objects: Objects } & Omit<
  AcceptDependencies,
  'submissions'
>): VacationDependencies => ({
  aliases: accountAliasesIn(directoryTable),
  domains: domainsIn(directoryTable),
  suppressions: suppressionsIn(sendingTable),
  sending: { ...sending, submissions: submissionsIn(sendingTable) },
  newId,
});

type Dependencies = {
  readonly vacation: VacationDependencies;
  readonly objects: Pick<Objects, 'get'>;
  readonly mailTable: Table;
  readonly clock: Clock;
  readonly log: Log;
};

/** A delivery to an account whose VacationResponse is enabled. */
export type RespondedDelivery = {
  readonly accountId: string;
  readonly window: VacationWindow;
  /** The envelope recipients that are addresses of the account. */
  readonly recipients: readonly string[];
};

/** The message class of vacation responses, for which complaints and suppression are counted. */
const messageClass = 'TRANSACTIONAL';

/** Reads the header of the message. Undefined if the header is too long. @throws RawMessageMissing */
const readHeader = async (mail: ReceivedMail, objects: Dependencies['objects']): Promise<readonly HeaderField[] | undefined> =>
  headerFieldsOf(await readBeginning(mail, objects));

/** The VacationResponse and its window. Undefined if it is no longer enabled. */
const readResponse = async (accountId: string, mailTable: Pick<Table, 'get'>) => {
  const key = vacationResponseKey(accountId);
  const item = await mailTable.get(key);
  const response = item && vacationResponseCodec.decode(key.sk, item);
  const window = response && vacationWindowOf(response);
  return window ? { response, window } : undefined;
};

/** The receiving address if it may send, else the primary address. Undefined when neither may send. */
const findSender = async (aliases: readonly Alias[], recipients: readonly string[], domains: VacationDependencies['domains']): Promise<Alias | undefined> => {
  const received = recipients.map(comparableAddress);
  const isReceiver = ({ email }: Alias) => {
    const [user, domain] = [email.slice(0, email.lastIndexOf('@')), email.slice(email.lastIndexOf('@'))];
    return received.some((recipient) => recipient === email || (recipient.startsWith(`${user}+`) && recipient.endsWith(domain)));
  };
  const candidates = [...aliases.filter(isReceiver), ...aliases.filter(({ is_primary: isPrimary }) => isPrimary)];
  for (const alias of new Set(candidates)) {
    const domain = await domains.find(alias.domain_id);
    if (domain && aliasMaySend(alias, domain)) return alias;
  }
  return undefined;
};

type Response = { readonly to: string; readonly from: Alias; readonly fields: readonly HeaderField[]; readonly response: VacationResponseRecord };

/**
 * Sends the response.
 * @returns false when the sender already had a response, or the account sent too many on this day.
 */
const send = async ({ to, from, fields, response }: Response, accountId: string, { messageId }: ReceivedMail, dependencies: Dependencies): Promise<boolean> => {
  const { mailTable, vacation, clock } = dependencies;
  const now = clock();
  const key = respondedSenderKey(accountId, to);
  const [item, identityItem] = await Promise.all([mailTable.get(key), mailTable.get(aliasIdentityKey(accountId, from.alias_id))]);
  const known = item && respondedSenderOf(item);
  const { name, replyTo } = identityItem ? identityOfItem(identityItem) : aliasProperties(from);
  const content = responseContent(response);
  if (hadResponse(known, messageId, content, now)) return false;
  const submissionId = vacation.newId('submission');
  const message = composeVacationMessage({ response, from: { email: from.email, name, replyTo }, to, fields, id: submissionId, date: now }, () =>
    randomBytes(18).toString('base64url'),
  );
  // Of two concurrent deliveries, one is refused by the condition of this write, and sends nothing.
  const memory = [rememberResponse(key, known, { messageId, content }, now), countResponse(accountId, now)].map((write) => ({
    ...write,
    inTable: mailTable.reference,
  }));
  return acceptSubmission(
    {
      submission_id: submissionId,
      account_id: accountId,
      identity_id: from.alias_id,
      message_class: messageClass,
      mail_from: from.email,
      send_at: now.toISOString(),
      created_at: now.toISOString(),
      ignores_suppression: false,
      recipients: [to],
      message,
    },
    vacation.sending,
    memory,
  );
};

/**
 * Responds at most once to a message for an account with a VacationResponse, if the rules allow it. The response is
 * accepted in the transaction that stores its sender. The caller repeats an interrupted delivery.
 */
export const respondToDelivery = async (
  { accountId, window, recipients }: RespondedDelivery,
  mail: ReceivedMail,
  dependencies: Dependencies,
): Promise<void> => {
  const {
    objects,
    mailTable,
    vacation: { aliases, domains, suppressions },
    clock,
    log,
  } = dependencies;
  const now = clock();
  const details = { accountId, sesMessageId: mail.messageId };
  if (notificationObstacle({ mail, window, now })) return;
  const [fields, known, own] = await Promise.all([readHeader(mail, objects), readResponse(accountId, mailTable), aliases.findByAccount(accountId)]);
  if (!known) return;
  const problem = responseProblem({ mail, window: known.window, fields, ownAddresses: own, now });
  if (problem) return log.info('no vacation response', { ...details, reason: problem });
  const to = responseRecipient(mail, fields!)!;
  const [suppressed, from] = await Promise.all([suppressions.findReasons([to], messageClass, now), findSender(own, recipients, domains)]);
  if (suppressed.size > 0) return log.info('no vacation response', { ...details, reason: 'suppressed sender' });
  if (!from) return log.info('no vacation response', { ...details, reason: 'no address may send' });
  const isAccepted = await send({ to, from, fields: fields!, response: known.response }, accountId, mail, dependencies);
  log.info(isAccepted ? 'vacation response accepted' : 'no vacation response', {
    ...details,
    ...(!isAccepted && { reason: 'the sender had one before, or the account sent too many today' }),
  });
};
