import { MailRefused, MailSenderUnavailable } from '../../../../core/aws/ses/mail-sender.ts';
import { toSendError } from '../../../../core/aws/ses/ses-mail-sender.ts';

const mail = { from: 'alice@example.test', recipients: ['ann@elsewhere.test', 'Bob@elsewhere.test'] };
const errorOf = (name: string, message = '', httpStatusCode = 400) =>
  toSendError(Object.assign(new Error(message), { name, $metadata: { httpStatusCode } }), mail);
const unverified = (addresses: string) =>
  errorOf('MessageRejected', `Email address is not verified. The following identities failed the check in region US-EAST-1: ${addresses}`);

describe('an error of SES', () => {
  test.each([
    ['TooManyRequestsException', 'Maximum sending rate exceeded.', 'rate'],
    ['TooManyRequestsException', 'Daily message quota exceeded.', 'closed'],
    ['SendingPausedException', 'Email sending is disabled.', 'closed'],
    ['NotFoundException', 'Configuration set <X> does not exist.', 'mail'],
  ])('%s, %s, means that the mail was not accepted: %s', (name, message, reason) => {
    expect(errorOf(name, message)).toMatchObject({ name: MailSenderUnavailable.name, reason });
  });

  test('about recipients in its sandbox names them and the remedy', () => {
    const error = unverified('bob@elsewhere.test') as MailRefused;
    expect([error.recipients, error.message]).toEqual([['Bob@elsewhere.test'], expect.stringContaining('ask your administrator')]);
  });

  test('about the sender refuses the mail for all recipients', () => {
    const error = unverified('Alice <alice@example.test>, bob@elsewhere.test') as MailRefused;
    expect([error.recipients, error.message]).toEqual([[], expect.stringContaining('the sender is not verified')]);
  });

  test.each([
    [
      'BadRequestException',
      "Message length is more than 29000000 bytes long: '30000123'.",
      400,
      'it has 30,000,123 octets; SES takes 29,000,000 octets at most',
    ],
    ['RequestEntityTooLarge', '', 413, 'the message is too large for Amazon SES; it has 4 octets'],
  ])('%s about the size refuses the mail as 552 5.3.4, with the sizes', (name, message, status, words) => {
    const error = toSendError(Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } }), { ...mail, message: Buffer.from('mail') });
    expect(error).toMatchObject({ name: MailRefused.name, code: '552 5.3.4', message: expect.stringContaining(words) as string });
  });

  test('with the status 413 refuses the mail; with the status 500 the outcome is unknown', () => {
    expect(errorOf('RequestEntityTooLarge', '', 413)).toBeInstanceOf(MailRefused);
    const unknown = errorOf('InternalFailure', '', 500);
    expect(unknown).not.toBeInstanceOf(MailRefused);
    expect(unknown).not.toBeInstanceOf(MailSenderUnavailable);
  });
});
