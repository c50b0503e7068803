export interface Token {
  type: string;
  tag: string;
  nesting: 1 | 0 | -1;
  hidden: boolean;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}
export default class MarkdownIt {
  constructor(options: { html: boolean; linkify: boolean });
  parse(text: string, environment: object): Token[];
}
