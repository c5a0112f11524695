import { randomBytes } from 'node:crypto';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { forwardMessageClass } from '../../../contract/deployment/sending.ts';
import { confirmationPage } from '../../../contract/jmap/forwarding.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import {
  addressesToAsk,
  linkDays,
  type Forwardings,
  type StoredForwardAddress,
  type StoredForwarding,
} from '../../../core/directory/forwarding/forwardings.ts';
import type { LinkRequest } from '../../../core/directory/forwarding/link-request.ts';
import { composeField, type HeaderValue } from '../../../core/mime/compose/compose-header-field.ts';
import { bodyStructureOf, composeMessage, type PartOctets } from '../../../core/mime/compose/compose-message.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { acceptSubmission } from '../../../core/sending/submission/accept-submission.ts';
import { countWrites, primarySender, type ForwardDependencies } from './forward-outside.ts';

type Dependencies = ForwardDependencies & {
  readonly forwardings: Pick<Forwardings, 'find' | 'newLink'>;
  /** Base URL of the JMAP API. */
  readonly jmapUrl: string;
};

type Link = { readonly from: Alias; readonly to: string; readonly url: string; readonly id: string; readonly date: Date };

const composeLink = ({ from, to, url, id, date }: Link): Buffer => {
  const text = (value: string): HeaderValue => ({ form: 'asText', value });
  const address = (email: string, name: string | null): HeaderValue => ({ form: 'asAddresses', value: [{ name, email }] });
  const values: readonly (readonly [string, HeaderValue])[] = [
    ['From', address(from.email, from.name ?? null)],
    ['To', address(to, null)],
    ['Subject', text(`Confirm that mail for ${from.email} is forwarded to you`)],
    ['Date', { form: 'asDate', value: date.toISOString() }],
    ['Message-ID', { form: 'asMessageIds', value: [`${id}@${domainOf(from.email)}`] }],
    ['Auto-Submitted', text('auto-generated')],
  ];
  const paragraphs = [
    `Mail for ${from.email} shall be forwarded to this address, ${to}.`,
    `If you agree, open this page within ${linkDays} days and confirm:`,
    url,
    'If you do not know what this is about, do nothing. Then no mail is forwarded.',
  ];
  const root = bodyStructureOf<PartOctets>({
    text: { type: { value: 'text/plain' }, fields: [], content: { text: `${paragraphs.join('\n\n')}\n` } },
    attachments: [],
  });
  return composeMessage({ fields: values.flatMap(([name, value]) => composeField(name, value) ?? []), root }, () => randomBytes(18).toString('base64url'));
};

/** Mails one link. The submission and the digest of its token are one transaction, so that a repeated record mails no second one. */
const sendLink = async (forwarding: StoredForwarding, address: StoredForwardAddress, from: Alias, dependencies: Dependencies): Promise<void> => {
  const { vacation, clock, jmapUrl, log } = dependencies;
  const accountId = forwarding.account_id;
  const counted = await countWrites(accountId, 1, dependencies);
  if (!counted) return log.warn('a link of a forwarding was not mailed', { accountId, reason: 'send limit' });
  const [now, id] = [clock(), vacation.newId('submission')];
  const { token, write } = dependencies.forwardings.newLink(forwarding, address, now);
  const url = `${jmapUrl}${confirmationPage.path}?${new URLSearchParams({ [confirmationPage.token]: token }).toString()}`;
  const isAccepted = await acceptSubmission(
    {
      submission_id: id,
      account_id: accountId,
      identity_id: from.alias_id,
      message_class: forwardMessageClass,
      mail_from: from.email,
      send_at: now.toISOString(),
      created_at: now.toISOString(),
      ignores_suppression: false,
      recipients: [address.email],
      message: composeLink({ from, to: address.email, url, id, date: now }),
    },
    vacation.sending,
    [...counted, write],
  );
  // The forwarding has changed meanwhile: the queue delivers the record again.
  if (!isAccepted) throw new StoreConflict();
  log.info('a link of a forwarding was mailed', { accountId });
};

/** Mails the links that are due for an account's forwarding. */
export const sendLinks = async ({ accountId }: LinkRequest, dependencies: Dependencies): Promise<void> => {
  if (!dependencies.mayForwardOutside) return;
  const forwarding = await dependencies.forwardings.find(accountId);
  const due = forwarding ? addressesToAsk(forwarding, dependencies.clock()) : [];
  if (due.length === 0) return;
  const from = await primarySender(accountId, dependencies.vacation);
  if (!from) return dependencies.log.warn('a link of a forwarding was not mailed', { accountId, reason: 'the address may not send' });
  for (const { email } of due) {
    // Each link changes the forwarding.
    const current = await dependencies.forwardings.find(accountId);
    const address = current && addressesToAsk(current, dependencies.clock()).find((each) => each.email === email);
    if (current && address) await sendLink(current, address, from, dependencies);
  }
};
