import { PutMetricDataCommand, type CloudWatchClient, type MetricDatum } from '@aws-sdk/client-cloudwatch';
import type { OnMailEvent } from './mail-event.ts';
import type { Submission } from './sending/accepted-message.ts';
import { simulatedOutcomes } from './sending/mailbox-simulator.ts';
import type { Outcome } from './sending/sending-events.ts';
import type { Account, Reputation } from './sending/ses-account.ts';

/**
 * SES's metrics (`AWS/SES`) of the account and of its receipt rule set. They are in CloudWatch after a fraction of a
 * second.
 */
export type MailMetrics = {
  /** Counts a message that was received by the active receipt rule set. */
  countReceived(ruleSet: string): void;
  /** Counts a notification that a receipt rule published. */
  countPublished(topicArn: string): void;
  /** Counts an event of a sent message, and its effect on the account's reputation. */
  countOutcome(submission: Submission, outcome: Outcome): Promise<void>;
  /** Resolves when CloudWatch has all counts. */
  settled(): Promise<void>;
};

type Measured = { readonly namespace: 'AWS/SES' | 'AWS/SNS'; readonly datum: MetricDatum };

/** Milliseconds after which counts are published. All counts of this time share one call. */
const flushAfter = 100;

/** The number of recipients without those of the mailbox simulator, which SES leaves out of its rates. */
const counted = (recipients: readonly string[]): number => recipients.filter((address) => !simulatedOutcomes(address)).length;

/**
 * The account's reputation after an event. Permanent bounces count, except for addresses to which SES did not send.
 * Unlike in SES, bounces of our own domains count too, because no other domain bounces in the sandbox.
 */
const reputationAfter = (before: Reputation, { recipients }: Submission, outcome: Outcome): Reputation => {
  if (outcome.type === 'Send') return { ...before, sent: before.sent + counted(recipients) };
  if (outcome.type === 'Bounce' && outcome.bounceType === 'Permanent' && outcome.bounceSubType !== 'OnAccountSuppressionList') {
    return { ...before, bounced: before.bounced + counted(outcome.recipients) };
  }
  if (outcome.type === 'Complaint' && outcome.subType === null) return { ...before, complained: before.complained + counted(outcome.recipients) };
  return before;
};

const rateMetrics = ({ sent, bounced, complained }: Reputation): MetricDatum[] =>
  sent === 0
    ? []
    : [
        { MetricName: 'Reputation.BounceRate', Value: bounced / sent },
        { MetricName: 'Reputation.ComplaintRate', Value: complained / sent },
      ];

/** Publishes SES's metrics to CloudWatch as SES does: one number for each name and rule set in a short period. */
export const mailMetrics = (cloudwatch: CloudWatchClient, account: Account, onMail: OnMailEvent): MailMetrics => {
  let pending = new Map<string, Measured>();
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, flushAfter));
    const measured = Map.groupBy(pending.values(), ({ namespace }) => namespace);
    [pending, flushing] = [new Map(), undefined];
    for (const [Namespace, data] of measured) {
      await cloudwatch
        .send(new PutMetricDataCommand({ Namespace, MetricData: data.map(({ datum }) => datum) }))
        .catch((error: Error) => onMail({ kind: 'failed', from: '', to: [], reason: `metrics were not published: ${error.message}` }));
    }
  };
  const running = new Set<Promise<void>>();
  const publish = (datum: MetricDatum, key: string, namespace: Measured['namespace'] = 'AWS/SES'): void => {
    pending.set(key, { namespace, datum: { Timestamp: new Date(), Unit: 'None', ...datum } });
    if (flushing) return;
    const started = flush().finally(() => running.delete(started));
    flushing = started;
    running.add(started);
  };
  const count = (MetricName: string, Dimensions: MetricDatum['Dimensions'] = [], namespace: Measured['namespace'] = 'AWS/SES'): void => {
    const key = [MetricName, ...Dimensions.map(({ Value }) => Value)].join(' ');
    publish({ MetricName, Dimensions, Unit: 'Count', Value: (pending.get(key)?.datum.Value ?? 0) + 1 }, key, namespace);
  };

  return {
    countReceived: (ruleSet) => count('Received', [{ Name: 'RuleSetName', Value: ruleSet }]),
    countPublished: (topicArn) => count('NumberOfMessagesPublished', [{ Name: 'TopicName', Value: topicArn.split(':').at(-1)! }], 'AWS/SNS'),
    async countOutcome(submission, outcome) {
      count(outcome.type);
      const before = account.state.reputation ?? { sent: 0, bounced: 0, complained: 0 };
      const reputation = reputationAfter(before, submission, outcome);
      for (const datum of rateMetrics(reputation)) publish(datum, datum.MetricName ?? '');
      if (reputation !== before)
        await account.change((state) => {
          state.reputation = reputation;
        });
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
};
