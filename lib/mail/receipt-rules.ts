import { CustomResource, Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import type { ReceiptRuleRecipients } from '../../contract/deployment/receipt-rule-set.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { allowItems } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';

export type ReceiptRulesProps = {
  /** The name of the active rule set. */
  readonly ruleSetName: string;
  readonly recipients: ReceiptRuleRecipients;
  readonly storage: Storage;
  readonly topic: Topic;
  readonly code: LambdaCode;
};

const { addresses: addressItems, domainNames, admins: adminItems } = directoryPartitions;

/** Stream records about changes of addresses, of domains that receive mail, and of the admins, who get role mail. */
const directoryFilters = [FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.or(addressItems, domainNames, adminItems) } } } })];

/** Timeout of an update. SES allows one change of a rule a second, and there are at most 200 rules. */
const updateTimeout = Duration.minutes(15);

/**
 * The receipt rules, which are not in the template: a Lambda keeps them equal to the directory's addresses, in the rule
 * set that is active, whoever made it. SES refuses
 * every other recipient while the sender waits.
 */
export class ReceiptRules extends Construct {
  /** The custom resource that exists once the rules exist. */
  readonly deployed: CustomResource;

  constructor(scope: Construct, id: string, { ruleSetName, recipients, storage, topic, code }: ReceiptRulesProps) {
    super(scope, id);
    const update = new LambdaFunction(this, 'Update', {
      code,
      name: 'receipt-rules',
      description: 'Keeps SES’s receipt rules equal to the addresses that receive mail',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        inboundTopicArn: topic.topicArn,
        deployment: deploymentName(this),
        receiptRules: recipients,
      },
      timeout: updateTimeout,
    });
    const { accounts, addresses, admins, domains, users } = directoryPartitions;
    allowItems(update, storage.directoryTable, ['Query'], addresses, domains, users);
    allowItems(update, storage.directoryTable, ['GetItem'], accounts, admins, users);
    // These actions have no resources.
    allowActions(update, {
      actions: ['ses:DescribeActiveReceiptRuleSet', 'ses:CreateReceiptRule', 'ses:UpdateReceiptRule', 'ses:DeleteReceiptRule'],
      resources: ['*'],
    });
    // A failed update is repeated until it succeeds; it reads the whole directory, so no record must be kept.
    update.addEventSource(
      new DynamoEventSource(storage.directoryTable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 1000,
        parallelizationFactor: 1,
        filters: directoryFilters,
      }),
    );
    schedule(this, 'EachDay', update, { description: 'Compares the receipt rules with the directory', every: Duration.days(1), retryAttempts: 2 });
    this.deployed = new CustomResource(this, 'Deployed', {
      resourceType: 'Custom::ReceiptRules',
      serviceToken: update.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { ruleSetName, recipients, bucketName: storage.mailBucket.bucketName, topicArn: topic.topicArn },
    });
  }
}
