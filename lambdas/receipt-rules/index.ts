import { receiptRuleName, receiptRuleRecipients } from '../../contract/deployment/receipt-rule-set.ts';
import { sesReceiptRules } from '../../core/aws/ses/ses-receipt-rules.ts';
import { receivingDirectoryIn } from '../../core/directory/aliases/receiving-addresses.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { customResource, type CustomResourceEvent } from '../../core/runtime/lambda/custom-resource.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { removeReceiptRules, updateReceiptRules, type ReceiptRuleDependencies } from './update-receipt-rules.ts';

const dependencies: ReceiptRuleDependencies = {
  directory: receivingDirectoryIn(dynamodbTable(setting('directoryTable'))),
  rules: sesReceiptRules({
    deployment: setting('deployment'),
    bucketName: setting('mailBucket'),
    objectKeyPrefix: (rule) => objectKeys.inbound(rule, ''),
    topicArn: setting('inboundTopicArn'),
  }),
  setting: receiptRuleRecipients.find((each) => each === setting('receiptRules'))!,
  nameOf: (number) => receiptRuleName(setting('deployment'), number),
  log: logFor('receipt-rules'),
};

const deployed = customResource('receipt-rules', async ({ RequestType, PhysicalResourceId }) => {
  await (RequestType === 'Delete' ? removeReceiptRules : updateReceiptRules)(dependencies);
  return { physicalId: PhysicalResourceId ?? 'receipt-rules' };
});

/** Keeps SES's receipt rules equal to the directory: at deployment, after changes of the directory, and once a day. */
export const handler = invoked((event: CustomResourceEvent | object): Promise<void> =>
  'RequestType' in event ? deployed(event) : updateReceiptRules(dependencies),
);
