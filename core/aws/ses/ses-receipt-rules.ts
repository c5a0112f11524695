import {
  CreateReceiptRuleCommand,
  DeleteReceiptRuleCommand,
  DescribeActiveReceiptRuleSetCommand,
  SESClient,
  UpdateReceiptRuleCommand,
  type ReceiptRule as SesRule,
} from '@aws-sdk/client-ses';
import { isRuleOf } from '../../../contract/deployment/receipt-rule-set.ts';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';

/** A receipt rule by which SES delivers mail to the deployment. */
export type ReceiptRule = {
  readonly name: string;
  /**
   * Domains, and addresses, which include all their details (`user+detail@`). SES refuses all other recipients with
   * 550.
   */
  readonly recipients: readonly string[];
  /** Whether the rule has the settings of a new rule. It may have been created with other settings. */
  readonly isCurrent: boolean;
};

/**
 * The receipt rules of the deployment in the active rule set, which several deployments and an operator may share: an
 * AWS account has one in a region. Rules of others are never changed. SES has no
 * conditional update, so a caller that changes rules must read them again afterwards.
 */
export type ReceiptRules = {
  /** The deployment's rules, and the number of rules of others. @throws Error when no rule set is active. */
  list(): Promise<{ readonly rules: readonly ReceiptRule[]; readonly foreignRules: number }>;
  /**
   * Creates a rule before all others, so that no rule of others stops mail.
   * @param recipients not empty, because SES applies a rule without recipients to every recipient.
   */
  create(name: string, recipients: readonly string[]): Promise<void>;
  /** Updates a rule. @param recipients not empty. */
  update(name: string, recipients: readonly string[]): Promise<void>;
  /** Removes a rule. A rule that does not exist is ignored. */
  remove(name: string): Promise<void>;
};

type ReceiptRuleTarget = {
  /** The deployment's name. */
  readonly deployment: string;
  /** The bucket in which a rule stores messages. */
  readonly bucketName: string;
  /** The prefix of a rule's objects. SES stores a message once for each rule, so two rules must not share a prefix. */
  readonly objectKeyPrefix: (rule: string) => string;
  /** The topic that a rule notifies. */
  readonly topicArn: string;
};

/**
 * Settings of a client with long retries: SES allows one of these calls a second, and the SDK pauses up to 20 seconds
 * when SES throttles.
 */
const patientClient = { ...clientTimeouts, maxAttempts: 12 };

/** {@link ReceiptRules} in Amazon SES (API v1). */
export const sesReceiptRules = (target: ReceiptRuleTarget, client = namingErrors(new SESClient(patientClient))): ReceiptRules => {
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
    return (
      Enabled === true &&
      ScanEnabled === true &&
      TlsPolicy === 'Optional' &&
      Actions.length === 1 &&
      action?.BucketName === target.bucketName &&
      action.ObjectKeyPrefix === target.objectKeyPrefix(Name) &&
      action.TopicArn === target.topicArn
    );
  };
  const hasOwnName = isRuleOf(target.deployment);
  const isOwn = ({ Name = '' }: SesRule): boolean => hasOwnName(Name);
  const active = async (): Promise<{ readonly name: string; readonly rules: readonly SesRule[] }> => {
    const { Metadata, Rules = [] } = await client.send(new DescribeActiveReceiptRuleSetCommand());
    if (Metadata?.Name === undefined) throw new Error('no receipt rule set is active in this region; deploy again, which activates one');
    return { name: Metadata.Name, rules: Rules };
  };
  // Changes are made in the rule set that was listed last, because SES allows one call a second.
  let listed: string | undefined;
  const ruleSet = async (): Promise<string> => listed ?? (await active()).name;
  return {
    async list() {
      const { name, rules: all } = await active();
      listed = name;
      const rules = all.filter(isOwn).map((rule) => ({ name: rule.Name!, recipients: rule.Recipients ?? [], isCurrent: isCurrent(rule) }));
      return { rules, foreignRules: all.length - rules.length };
    },
    async create(name, recipients) {
      await client.send(new CreateReceiptRuleCommand({ RuleSetName: await ruleSet(), Rule: ruleWith(name, recipients) }));
    },
    async update(name, recipients) {
      await client.send(new UpdateReceiptRuleCommand({ RuleSetName: await ruleSet(), Rule: ruleWith(name, recipients) }));
    },
    async remove(name) {
      await client.send(new DeleteReceiptRuleCommand({ RuleSetName: await ruleSet(), RuleName: name }));
    },
  };
};
