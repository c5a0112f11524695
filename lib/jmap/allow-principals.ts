import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { allowItems, each } from '../state/allow-items.ts';

/** Allows reading a caller's profile and the accounts that they are a member of. */
export const allowReadingPrincipals = (grantee: IGrantable, directoryTable: ITableV2): void => {
  allowItems(grantee, directoryTable, ['Query'], each(directoryPartitions.memberships));
};
