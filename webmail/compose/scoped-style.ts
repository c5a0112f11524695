export type StyleScope = {
  /** Selects the element around the quote. */
  readonly around: string;
  /** Selects the element that stands for the body of the quote. */
  readonly body: string;
  /** Whether a selector that is bound already stays as it is. */
  readonly keepsBound?: boolean;
};

/** A list of selectors as the browser writes it, divided at the commas between them. */
const selectorsIn = (list: string): readonly string[] => {
  const selectors: string[] = [];
  let [start, depth, quote] = [0, 0, ''];
  for (let at = 0; at < list.length; at += 1) {
    const character = list[at]!;
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
    else if (character === ',' && depth === 0) {
      selectors.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...selectors, list.slice(start).trim()];
};

/** The body of a document, which a quote has no more, at the beginning of a selector. */
const documentBody = /^(?:(?:html|:root)(?:\s*>\s*|\s+)(?=body))?(?:html|body|:root)(?![\w-])/i;

/** Whether a selector begins as `scopedSelector` makes it, and not with a sibling of what is around the quote. */
const isBound = (selector: string, { around }: StyleScope): boolean => selector.startsWith(`${around} `) && !/^[+~]/.test(selector.slice(around.length + 1));

const scopedSelector = (selector: string, scope: StyleScope): string => {
  if (scope.keepsBound && isBound(selector, scope)) return selector;
  return documentBody.test(selector) ? selector.replace(documentBody, scope.body) : `${scope.around} ${selector}`;
};

/** Values of `position` that leave an element within what is around it. */
const boundPositions = new Set(['', 'static', 'relative', 'absolute']);

/** Keeps an element within what is around it, however it is placed. */
export const bindPosition = (style: CSSStyleDeclaration): void => {
  if (!boundPositions.has(style.getPropertyValue('position'))) style.removeProperty('position');
};

const scopedRules = (rules: CSSRuleList, scope: StyleScope): string =>
  Array.from(rules, (rule) => {
    if (rule instanceof CSSStyleRule) {
      bindPosition(rule.style);
      return `${selectorsIn(rule.selectorText)
        .map((selector) => scopedSelector(selector, scope))
        .join(', ')} { ${rule.style.cssText} }`;
    }
    if (rule instanceof CSSMediaRule) return `@media ${rule.media.mediaText} { ${scopedRules(rule.cssRules, scope)} }`;
    if (rule instanceof CSSSupportsRule) return `@supports ${rule.conditionText} { ${scopedRules(rule.cssRules, scope)} }`;
    // Fonts, pages and layers would change the words beside the quote.
    return rule instanceof CSSKeyframesRule ? rule.cssText : '';
  })
    .filter((rule) => rule !== '')
    .join('\n');

/**
 * Binds the style of a mail to the element in which it is quoted, so that it neither hides nor adds to the words beside it. It
 * has what this browser knows of it.
 */
export const scopedStyle = (css: string, scope: StyleScope): string => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  // An escape may have hidden the end of the element.
  return scopedRules(sheet.cssRules, scope).replaceAll(/<(?=[!/])/g, '\\3c ');
};
