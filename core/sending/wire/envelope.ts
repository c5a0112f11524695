import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { submissionLimits } from '../../../contract/jmap/email-submission.ts';
import { quotedIfNeeded } from '../../../contract/values/mail-address.ts';
import { RecordRefused } from '../../account-log/records/record-refused.ts';
import type { HeaderField } from '../../mime/header-fields.ts';
import { asAddresses } from '../../mime/header-forms.ts';
import { parseLimits } from '../../mime/parse-limits.ts';
import { isSameAddress, parseSmtpAddress } from './smtp-address.ts';

/** The client's parameters of MAIL FROM, by name; null for a parameter without a value (RFC 8621 §7). */
type MailParameters = { readonly [name: string]: string | null };

/** The envelope of a submission. Addresses are in the form that SES accepts. */
export type Envelope = {
  readonly mailFrom: string;
  readonly parameters: MailParameters | null;
  /** The recipients, without duplicates. */
  readonly recipients: readonly string[];
  /**
   * The time at which the message is sent, in milliseconds since 1970: the parameter HOLDFOR or HOLDUNTIL (RFC 4865).
   */
  readonly holdUntil?: number;
};

const invalidEnvelope = (description: string): RecordRefused => new RecordRefused('invalidProperties', description, ['envelope']);

/**
 * Checks the recipients. @throws RecordRefused noRecipients, tooManyRecipients or invalidRecipients (RFC 8621 §7.5).
 */
const checkedRecipients = (given: readonly string[]): readonly string[] => {
  const distinct = [...new Map(given.map((email) => [email.toLowerCase(), email])).values()];
  if (distinct.length === 0) throw new RecordRefused('noRecipients', 'The message has no recipients. Add an address to To, Cc, Bcc or the envelope.');
  const { maxRecipients } = submissionLimits;
  if (distinct.length > maxRecipients) {
    throw new RecordRefused('tooManyRecipients', `A message may have at most ${maxRecipients} recipients.`, undefined, { maxRecipients });
  }
  const parsed = distinct.map((email) => ({ email, result: parseSmtpAddress(email) }));
  const invalid = parsed.flatMap(({ email, result }) => ('reason' in result ? [{ email, reason: result.reason }] : []));
  const [first] = invalid;
  if (first) {
    const { email, reason } = first;
    throw new RecordRefused('invalidRecipients', `The message cannot be sent to ${JSON.stringify(email.slice(0, 300))}: ${reason}.`, undefined, {
      invalidRecipients: invalid.map((each) => each.email),
    });
  }
  const addresses = parsed.flatMap(({ result }) => ('address' in result ? [result.address] : []));
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
};

type Address = { readonly email: string; readonly parameters: MailParameters | null };

const isParameters = (value: unknown): value is MailParameters | null =>
  value === null || (isObject(value) && Object.values(value).every((each) => each === null || typeof each === 'string'));

/** Decodes an Address object. @throws RecordRefused invalidProperties for any other value. */
const decodeAddress = (given: unknown): Address => {
  if (!isObject(given)) throw invalidEnvelope('"mailFrom" and each element of "rcptTo" must be an Address object.');
  const { email, parameters = null, ...others } = given;
  if (typeof email !== 'string' || !email.isWellFormed() || !isParameters(parameters) || Object.keys(others).length > 0) {
    throw invalidEnvelope('An Address object has "email" and "parameters". The parameters are null, or an object whose values are strings or null.');
  }
  return { email, parameters };
};

const holdFor = /^\d{1,9}$/;
const holdUntil = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Checks the time until which a message is held.
 * @throws RecordRefused invalidProperties for a time that is in the past, or too far in the future.
 */
const checkedHold = (time: number, now: number): number => {
  const { maxDelayedSend } = submissionLimits;
  if (Number.isNaN(time)) throw invalidEnvelope('HOLDFOR must be a number of seconds, and HOLDUNTIL a date and time of RFC 3339.');
  if (time < now) throw invalidEnvelope('HOLDUNTIL must not be in the past.');
  if (time > now + maxDelayedSend * 1000) {
    throw invalidEnvelope(`A message may be held for at most ${maxDelayedSend} seconds (maxDelayedSend).`);
  }
  return time;
};

/**
 * The time until which the message is held; undefined without one.
 * @throws RecordRefused for an unknown parameter or an invalid value.
 */
const decodeParameters = (parameters: MailParameters | null, now: number): number | undefined => {
  let held: number | undefined;
  for (const [name, value] of Object.entries(parameters ?? {})) {
    switch (name.toUpperCase()) {
      case 'HOLDFOR':
      case 'HOLDUNTIL': {
        if (held !== undefined) throw invalidEnvelope('An envelope may have HOLDFOR or HOLDUNTIL, but not both.');
        const isDuration = name.toUpperCase() === 'HOLDFOR';
        const isValid = (isDuration ? holdFor : holdUntil).test(value ?? '');
        held = checkedHold(!isValid ? NaN : isDuration ? now + Number(value) * 1000 : Date.parse(value!), now);
        break;
      }
      case 'SIZE':
        if (!/^\d{1,20}$/.test(value ?? '')) throw invalidEnvelope('SIZE must be a number of octets.');
        if (Number(value) > submissionLimits.maxSizeMessage) throw messageTooLarge();
        break;
      default:
        throw invalidEnvelope(`The SMTP parameter ${JSON.stringify(name.slice(0, 100))} is not supported for MAIL FROM.`);
    }
  }
  return held;
};

/** The error for a message that is too large to be sent (RFC 8621 §7.5). */
export const messageTooLarge = (): RecordRefused => {
  const { maxSizeMessage: maxSize } = submissionLimits;
  return new RecordRefused('tooLarge', `A message that is sent may have at most ${maxSize} octets.`, undefined, { maxSize });
};

/** The sender in the form that SES accepts: the address of the Identity, which the client may spell differently. */
const inSmtpForm = (sender: string): string => {
  const parsed = parseSmtpAddress(sender);
  return 'address' in parsed ? parsed.address : sender;
};

/**
 * Decodes the envelope that a client sent. `mailfrom` is accepted when `mailFrom` is missing.
 * @param from the address of the Identity.
 * @throws RecordRefused invalidProperties, forbiddenMailFrom, noRecipients, tooManyRecipients, invalidRecipients,
 * tooLarge.
 */
export const decodeEnvelope = (given: JsonObject, from: string, now: number): Envelope => {
  // aerc, and other clients that use go-jmap, spell it so.
  const { mailfrom: misspelt, mailFrom: givenFrom = misspelt, rcptTo, ...others } = given;
  if (!Array.isArray(rcptTo) || Object.keys(others).length > 0) throw invalidEnvelope('An envelope has "mailFrom" and a list "rcptTo".');
  const mailFrom = decodeAddress(givenFrom);
  const recipients = rcptTo.map(decodeAddress);
  if (recipients.some(({ parameters }) => Object.keys(parameters ?? {}).length > 0)) {
    throw invalidEnvelope('No SMTP parameter is supported for RCPT TO.');
  }
  const held = decodeParameters(mailFrom.parameters, now);
  if (!isSameAddress(mailFrom.email, from)) {
    throw new RecordRefused('forbiddenMailFrom', 'The sender of the envelope must be the address of the Identity.');
  }
  return {
    mailFrom: inSmtpForm(mailFrom.email),
    parameters: mailFrom.parameters,
    recipients: checkedRecipients(recipients.map(({ email }) => email)),
    ...(held !== undefined && { holdUntil: held }),
  };
};

const addressesOf = (fields: readonly HeaderField[], ...names: readonly string[]): readonly string[] =>
  fields
    .filter(({ name }) => names.includes(name.toLowerCase()))
    .flatMap(asAddresses)
    .map(({ email }) => quotedIfNeeded(email));

/** Checks that the Identity is the only author. @throws RecordRefused invalidEmail or forbiddenFrom (RFC 8621 §7.5). */
export const checkSender = (fields: readonly HeaderField[], from: string): void => {
  for (const [name, isRequired] of [
    ['from', true],
    ['sender', false],
  ] as const) {
    const count = fields.filter((field) => field.name.toLowerCase() === name).length;
    const addresses = addressesOf(fields, name);
    if (count === 0 && !isRequired) continue;
    if (count !== 1 || addresses.length !== 1) {
      throw new RecordRefused('invalidEmail', `The message must have one field ${name} with one address.`, [name]);
    }
    if (!isSameAddress(addresses[0]!, from)) {
      throw new RecordRefused('forbiddenFrom', `The address in the field ${name} must be the one of the Identity.`);
    }
  }
};

/**
 * The envelope of a submission without one (RFC 8621 §7): from the message's Sender or From, which {@link checkSender}
 * has checked, to all addresses of To, Cc and Bcc.
 * @throws RecordRefused noRecipients, tooManyRecipients, invalidRecipients.
 */
export const deriveEnvelope = (fields: readonly HeaderField[], from: string): Envelope => {
  const [mailFrom = from] = [...addressesOf(fields, 'sender'), ...addressesOf(fields, 'from')];
  const lists = fields.filter(({ name }) => ['to', 'cc', 'bcc'].includes(name.toLowerCase()));
  const tooLong = lists.find(({ value }) => value.length > parseLimits.fieldValue);
  if (tooLong) throw new RecordRefused('invalidEmail', `The field ${tooLong.name} is too long to be sent.`, [tooLong.name.toLowerCase()]);
  return { mailFrom: inSmtpForm(mailFrom), parameters: null, recipients: checkedRecipients(addressesOf(lists, 'to', 'cc', 'bcc')) };
};
