import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { receivesMailIn } from '../../../core/directory/aliases/receiving-addresses.ts';
import type { Table } from '../../../core/storage/table.ts';
import { messageRefusals, refuseMailbox } from '../../../lambdas/custom-message/refuse-mailbox.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** The trigger in a deployment that receives mail for example.com, and only sends mail of example.net. */
const started = async () => {
  const table = memoryTable();
  for (const [sk, receives] of [
    ['example.com', true],
    ['xn--bcher-kva.example', true],
    ['example.net', false],
  ] as const) {
    await table.write([{ put: { pk: 'domain-name', sk, receive_enabled: receives, state: 'ready' } }]);
  }
  const log = memoryLog();
  const decide = (email: string | undefined, triggerSource = 'CustomMessage_ForgotPassword', over: Table = table) =>
    refuseMailbox({ receivesMail: receivesMailIn(over), log })({
      triggerSource,
      request: { userAttributes: { sub: 'sub-ada', email } },
      response: {},
    } as unknown as CustomMessageTriggerEvent);
  return { table, log, decide };
};

describe('Cognito’s custom-message trigger', () => {
  test.each([
    'CustomMessage_AdminCreateUser',
    'CustomMessage_ForgotPassword',
    'CustomMessage_ResendCode',
    'CustomMessage_Authentication',
    'CustomMessage_SignUp',
  ])('refuses %s for an address at a domain that is received here, and lets it go to other addresses', async (source) => {
    const { decide } = await started();
    for (const email of ['ada@example.com', 'Nobody@Example.Com', 'ada+codes@example.com', 'ada@bücher.example', 'ada@BÜCHER.example']) {
      await expect(decide(email, source)).rejects.toThrow(messageRefusals.receivedHere);
    }
    for (const email of ['ada@elsewhere.org', 'ada@example.net', 'ada@sub.example.com']) {
      expect(await decide(email, source)).toMatchObject({ triggerSource: source, response: {} });
    }
  });

  test.each(['CustomMessage_UpdateUserAttribute', 'CustomMessage_VerifyUserAttribute'])('refuses %s for any address', async (source) => {
    const { decide } = await started();
    await expect(decide('ada@elsewhere.org', source)).rejects.toThrow(messageRefusals.attribute);
  });

  test.each([undefined, '', 'ada', 'ada@example.com.', 'ada@[192.0.2.1]', '"a da"@example.com'])(
    'refuses a message to %j, of which the domain is not certain',
    async (email) => {
      const { decide } = await started();
      await expect(decide(email)).rejects.toThrow(messageRefusals.unknown);
    },
  );

  test('refuses a message while the directory can’t be read', async () => {
    const { decide, table, log } = await started();
    const broken: Table = { ...table, get: () => Promise.reject(new Error('not now')) };
    await expect(decide('ada@elsewhere.org', undefined, broken)).rejects.toThrow(messageRefusals.unknown);
    expect(log.records).toContainEqual(expect.objectContaining({ level: 'error' }));
  });
});
