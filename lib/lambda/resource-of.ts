import type { Construct } from 'constructs';

/** The CloudFormation resource of a construct, for properties that the construct does not have. */
export const resourceOf = <Resource extends Construct>(construct: Construct, type: abstract new (...args: never[]) => Resource): Resource => {
  const { defaultChild } = construct.node;
  if (defaultChild instanceof type) return defaultChild;
  throw new Error(`${construct.node.path} is no ${type.name}`);
};
