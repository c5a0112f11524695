import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { toSendError } from '../../../core/aws/ses/ses-mail-sender.ts';
import { startNetwork, receiptRule, type Network } from './ses/test-mail-network.ts';

let network: Network;
beforeAll(async () => {
  network = await startNetwork({ Rule: receiptRule({ Recipients: ['alice@own.test'] }) });
  await network.verify('own.test');
});
afterAll(() => network.end());

const choose = (name: string, behaviour: string) =>
  fetch(`http://127.0.0.1:${network.ports.sesApi}/v2/email/undocumented/${name}/${behaviour}`, { method: 'POST' });

test('SES refuses a message of 29,000,001 octets, and takes it where only attachments count', async () => {
  const header = Buffer.from('From: alice@own.test\r\nTo: success@simulator.amazonses.com\r\nSubject: Large\r\n\r\n');
  const message = Buffer.concat([header, Buffer.alloc(29_000_001 - header.length, 'Large enough. Large enough. Large enough. Large enough. Large.\r\n')]);
  const send = () =>
    network.sesv2.send(new SendEmailCommand({ Content: { Raw: { Data: message } }, Destination: { ToAddresses: ['success@simulator.amazonses.com'] } }));
  const refused = await send().then(() => undefined, toSendError);
  expect(refused).toMatchObject({
    code: '552 5.3.4',
    message: expect.stringContaining('it has 29,000,001 octets; SES takes 29,000,000 octets at most') as string,
  });
  await choose('message-size', 'lenient');
  expect((await send()).MessageId).toBeDefined();
});

test('receipt rules compare the case of local parts, and do not where they are told so', async () => {
  const refusedOf = async (to: string) =>
    network.smtp({ from: 'carol@elsewhere.test', to, subject: 'Hi', text: 'Hi' }).then(
      () => [],
      () => [to],
    );
  expect(await refusedOf('Alice@own.test')).toEqual(['Alice@own.test']);
  expect(await refusedOf('alice@OWN.test')).toEqual([]);
  await choose('recipient-case', 'lenient');
  expect(await refusedOf('Alice@own.test')).toEqual([]);
});

test.each([
  ['colour', 'strict'],
  ['message-size', 'pink'],
])('the behaviour %s/%s does not exist', async (name, behaviour) => {
  const answer = await choose(name, behaviour);
  expect([answer.status, await answer.json()]).toEqual([400, { message: expect.stringMatching(/must be one of .*(message-size|strict)/) as string }]);
});
