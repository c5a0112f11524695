import { PutAccountDetailsCommand, PutAccountSendingAttributesCommand, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { adminMachineToken } from '../access-tokens.ts';
import { primaryDomain } from '../primary-domain.ts';
import { aws, decideAtSes, measure, pointsOf } from './deployment-clients.ts';
import type { ProblemProvocation } from './problem-provocation.ts';

const setProductionAccess = (ProductionAccessEnabled: boolean) =>
  aws.ses.send(new PutAccountDetailsCommand({ MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.test', ProductionAccessEnabled }));
const grantProductionAccess = async () => {
  await setProductionAccess(true);
  await decideAtSes('review/GRANTED');
};
const setSending = (SendingEnabled: boolean) => aws.ses.send(new PutAccountSendingAttributesCommand({ SendingEnabled }));

/** Sends as much mail as an account in the SES sandbox may send in 24 hours: 200 recipients. */
const sendQuotaOfSandbox = async (): Promise<void> => {
  const { domain } = await primaryDomain(await adminMachineToken());
  for (let message = 0; message < 4; message++) {
    const ToAddresses = Array.from({ length: 50 }, (_, number) => `success+${message}-${number}@simulator.amazonses.com`);
    await aws.ses.send(
      new SendEmailCommand({
        FromEmailAddress: `quota@${domain}`,
        Destination: { ToAddresses },
        Content: { Simple: { Subject: { Data: 'Much mail' }, Body: { Text: { Data: 'Hello' } } } },
      }),
    );
  }
};

/**
 * A reputation of this rate. SES's metric is an average of an hour, to which mail of other tests and an earlier run of
 * this one contribute too, so each new rate has a hundred times more points than there are.
 */
const rate = (metric: string, value: number) => async () => {
  await measure('AWS/SES', metric, {}, { Values: [value], Counts: [100 * Math.max(1e4, await pointsOf('AWS/SES', metric))] });
};
const reputation = (metric: string, bad: number): ProblemProvocation => ({
  prepare: async () => {
    // A rate of fewer messages says nothing.
    await measure('AWS/SES', 'Send', {}, { Value: 100 });
    await rate(metric, 0)();
  },
  begin: () => rate(metric, bad)().then(() => undefined),
  end: rate(metric, 0),
});

export const sendingProvocations = {
  SES_SANDBOX: { begin: async () => void (await setProductionAccess(false)), end: grantProductionAccess },
  SENDING_PAUSED: { begin: async () => void (await setSending(false)), end: () => setSending(true) },
  SES_ENFORCEMENT: { begin: () => decideAtSes('enforcement/PROBATION').then(() => undefined), end: () => decideAtSes('enforcement/HEALTHY') },
  QUOTA_NEARLY_USED: {
    begin: async () => {
      await sendQuotaOfSandbox();
      await setProductionAccess(false);
      return undefined;
    },
    end: grantProductionAccess,
  },
  BOUNCE_RATE: reputation('Reputation.BounceRate', 0.06),
  COMPLAINT_RATE: reputation('Reputation.ComplaintRate', 0.002),
} satisfies Record<string, ProblemProvocation>;
