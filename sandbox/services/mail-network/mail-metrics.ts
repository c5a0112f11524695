import { PutMetricDataCommand, type CloudWatchClient, type MetricDatum } from '@aws-sdk/client-cloudwatch';
import type { OnMailEvent } from './mail-event.ts';
import { simulatedOutcomes } from './sending/mailbox-simulator.ts';
import type { Outcome } from './sending/sending-events.ts';
import type { Account, Reputation } from './sending/ses-account.ts';
import type { Submission } from './sending/submission.ts';

/** SES's metrics (`AWS/SES`) of the account and of its receipt rule set. They are in CloudWatch within a moment. */
export type MailMetrics = {
  /** Counts a message that was received by the active receipt rule set. */
  countReceived(ruleSet: string): void;
  /** Counts an event of a sent message, and its share in the account's reputation. */
  countOutcome(submission: Submission, outcome: Outcome): Promise<void>;
  /** Resolves when CloudWatch has all that was counted. */
  settled(): Promise<void>;
};

/** Milliseconds. What is counted meanwhile is one call. */
const flushAfter = 100;

/** Recipients without those of the mailbox simulator, which SES leaves out of its rates. */
const counted = (recipients: readonly string[]): number => recipients.filter((address) => !simulatedOutcomes(address)).length;

/**
 * The account's reputation after an event. Permanent bounces count, but not those of addresses that SES did not send to.
 * Unlike SES's, bounces of our own domains count too: no others bounce here.
 */
const reputationAfter = (before: Reputation, { recipients }: Submission, outcome: Outcome): Reputation => {
  if (outcome.type === 'Send') return { ...before, sent: before.sent + counted(recipients) };
  if (outcome.type === 'Bounce' && outcome.bounceType === 'Permanent' && outcome.bounceSubType !== 'OnAccountSuppressionList') {
    return { ...before, bounced: before.bounced + counted(outcome.recipients) };
  }
  if (outcome.type === 'Complaint' && outcome.subType === null) return { ...before, complained: before.complained + counted(outcome.recipients) };
  return before;
};

const rateMetrics = ({ sent, bounced, complained }: Reputation): MetricDatum[] => (sent === 0 ? [] : [
  { MetricName: 'Reputation.BounceRate', Value: bounced / sent }, { MetricName: 'Reputation.ComplaintRate', Value: complained / sent },
]);

/** Publishes SES's metrics to CloudWatch as SES does, a number for each name and rule set of a moment. */
export const mailMetrics = (cloudwatch: CloudWatchClient, account: Account, onMail: OnMailEvent): MailMetrics => {
  let pending = new Map<string, MetricDatum>();
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, flushAfter));
    const MetricData = [...pending.values()];
    [pending, flushing] = [new Map(), undefined];
    await cloudwatch.send(new PutMetricDataCommand({ Namespace: 'AWS/SES', MetricData }))
      .catch((error: Error) => onMail({ kind: 'failed', from: '', to: [], reason: `metrics were not published: ${error.message}` }));
  };
  const running = new Set<Promise<void>>();
  const publish = (datum: MetricDatum, key: string): void => {
    pending.set(key, { Timestamp: new Date(), Unit: 'None', ...datum });
    if (flushing) return;
    const started = flush().finally(() => running.delete(started));
    flushing = started;
    running.add(started);
  };
  const count = (MetricName: string, Dimensions: MetricDatum['Dimensions'] = []): void => {
    const key = [MetricName, ...Dimensions.map(({ Value }) => Value)].join(' ');
    publish({ MetricName, Dimensions, Unit: 'Count', Value: (pending.get(key)?.Value ?? 0) + 1 }, key);
  };

  return {
    countReceived: (ruleSet) => count('Received', [{ Name: 'RuleSetName', Value: ruleSet }]),
    async countOutcome(submission, outcome) {
      count(outcome.type);
      const before = account.state.reputation ?? { sent: 0, bounced: 0, complained: 0 };
      const reputation = reputationAfter(before, submission, outcome);
      for (const datum of rateMetrics(reputation)) publish(datum, datum.MetricName ?? '');
      if (reputation !== before) await account.change((state) => { state.reputation = reputation; });
    },
    async settled() { while (running.size > 0) await Promise.all(running); },
  };
};
