import { CfnCondition, CfnParameter, Fn, Stack } from 'aws-cdk-lib';
import { TableV2, type ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { restoredValueParameter, storedTables, streamArnValue, tableNameValue, type StoredTable } from '../../contract/deployment/stored-data.ts';
import type { Storage } from './imported-storage.ts';
import type { TablesAndBucket } from './tables-and-bucket.ts';

/**
 * The tables that the deployment uses: those of the stack, or restored ones. `postrider-admin restore` sets parameters
 * of the deployed stack, and the next `cdk deploy` keeps their values. So no setting has to be repeated, and switching
 * tables needs neither this code nor the CDK.
 */
export class RestoredTables extends Construct implements Storage {
  readonly directoryTable: ITableV2;
  readonly mailTable: ITableV2;
  readonly sendingTable: ITableV2;
  readonly mailBucket: TablesAndBucket['mailBucket'];
  /** The names of the tables and the ARNs of their streams, by the names of the shared values. */
  readonly sharedValues: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, stored: TablesAndBucket) {
    super(scope, id);
    const values: Record<string, string> = {};
    const use = (name: StoredTable, own: ITableV2): ITableV2 => {
      const tableName = (values[tableNameValue(name)] = this.valueOr(tableNameValue(name), own.tableName));
      if (storedTables[name].hasStream) values[streamArnValue(name)] = this.valueOr(streamArnValue(name), own.tableStreamArn!);
      return TableV2.fromTableAttributes(this, name, { tableName });
    };
    this.directoryTable = use('directory', stored.directoryTable);
    this.mailTable = use('mail', stored.mailTable);
    this.sendingTable = use('sending', stored.sendingTable);
    this.mailBucket = stored.mailBucket;
    this.sharedValues = values;
  }

  /** The value of a parameter of the stack; the stack's own value while the parameter is empty. */
  private valueOr(name: string, own: string): string {
    const stack = Stack.of(this);
    const parameter = new CfnParameter(stack, restoredValueParameter(name), {
      type: 'String',
      default: '',
      description: `The ${name} of restored tables (postrider-admin restore). Empty: those of the stack.`,
    });
    const isRestored = new CfnCondition(stack, `Has${restoredValueParameter(name)}`, {
      expression: Fn.conditionNot(Fn.conditionEquals(parameter.valueAsString, '')),
    });
    return Fn.conditionIf(isRestored.logicalId, parameter.valueAsString, own).toString();
  }
}
