import {
  CreateReceiptRuleCommand, DeleteReceiptRuleCommand, DescribeReceiptRuleSetCommand, SESClient, UpdateReceiptRuleCommand,
  type ReceiptRule as SesRule,
} from '@aws-sdk/client-ses';
import { clientTimeouts } from '../../client/client-timeouts.ts';
import { receiptRulePrefix, type ReceiptRules } from './receipt-rules.ts';

type ReceiptRuleTarget = {
  /** The bucket in which a rule stores messages. */
  readonly bucketName: string;
  /**
   * The prefix of a rule's objects; SES appends its message id. A message to recipients of two rules is stored and
   * notified twice, so two rules must not share a prefix.
   */
  readonly objectKeyPrefix: (rule: string) => string;
  /** The topic that a rule notifies. */
  readonly topicArn: string;
};

/** SES allows one of these calls a second; the SDK pauses up to 20 seconds when SES throttles. */
const patientClient = { ...clientTimeouts, maxAttempts: 12 };

/** {@link ReceiptRules} in Amazon SES (API v1). */
export const sesReceiptRules = (ruleSet: string, target: ReceiptRuleTarget, client = new SESClient(patientClient)): ReceiptRules => {
  const ruleWith = (name: string, recipients: readonly string[]): SesRule => {
    if (recipients.length === 0) throw new Error('a receipt rule without recipients would match every recipient');
    return {
      Name: name,
      Enabled: true,
      ScanEnabled: true,
      TlsPolicy: 'Optional',
      Recipients: [...recipients],
      Actions: [{ S3Action: { BucketName: target.bucketName, ObjectKeyPrefix: target.objectKeyPrefix(name), TopicArn: target.topicArn } }],
    };
  };
  const isCurrent = ({ Name = '', Enabled, ScanEnabled, TlsPolicy = 'Optional', Actions = [] }: SesRule): boolean => {
    const action = Actions[0]?.S3Action;
    return Enabled === true && ScanEnabled === true && TlsPolicy === 'Optional' && Actions.length === 1
      && action?.BucketName === target.bucketName && action.ObjectKeyPrefix === target.objectKeyPrefix(Name)
      && action.TopicArn === target.topicArn;
  };
  return {
    async list() {
      const { Rules: rules = [] } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: ruleSet }));
      return rules.filter(({ Name }) => Name?.startsWith(receiptRulePrefix))
        .map((rule) => ({ name: rule.Name!, recipients: rule.Recipients ?? [], isCurrent: isCurrent(rule) }));
    },
    async create(name, recipients) {
      await client.send(new CreateReceiptRuleCommand({ RuleSetName: ruleSet, Rule: ruleWith(name, recipients) }));
    },
    async update(name, recipients) {
      await client.send(new UpdateReceiptRuleCommand({ RuleSetName: ruleSet, Rule: ruleWith(name, recipients) }));
    },
    async remove(name) {
      await client.send(new DeleteReceiptRuleCommand({ RuleSetName: ruleSet, RuleName: name }));
    },
  };
};
